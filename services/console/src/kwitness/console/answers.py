"""Gives all answers their headers, and errors a page that says what to do."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from typing import Final

from aiohttp import web

from kwitness.console.door import Handler, RefusedError
from kwitness.console.pages.templates import Templates

__all__ = ["HEADERS", "Answers"]

HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # Not no-referrer: browsers then send forms of the console itself with `Origin: null`.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Of every answer: no inline script or style, nothing of another site, and no frame around it."""
_REMEDIES: Final = {
    404: ("There is no such page", "Go to the fleet, and from there on by links."),
    405: ("This page only shows", "Open it by a link or its address."),
    413: ("This is too large", "Send less: a form of the console has a few kilobytes at most."),
    400: ("This address cannot be read", "Go to the fleet, and from there on by links."),
    503: ("There is no memory for your rows", "Rows that others request fill the index: try again in a minute."),
}
_MARK_BYTES: Final = 4
_LOG: Final = logging.getLogger(__name__)


class Answers:
    """The outermost middleware.

    Parameters
    ----------
    log
        The place that has the errors of pages, as a sentence names it.
    """

    def __init__(self, templates: Templates, *, log: str = "terminal of kwitness console") -> None:
        self._templates = templates
        self._log = log

    @web.middleware
    async def complete(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Add the headers, and make a page of an error."""
        try:
            response = await handler(request)
        except RefusedError as error:
            response = self._page(error.status, error.title, str(error))
            # Rows that a script refreshes become this page too.
            response.headers["HX-Refresh"] = "true"
        except web.HTTPException as error:
            if error.status not in _REMEDIES:
                raise
            response = self._page(error.status, *_REMEDIES[error.status])
        except Exception:  # noqa: BLE001 - a defect of one page is answered, and others are shown
            mark = secrets.token_hex(_MARK_BYTES)
            _LOG.exception("%s %s cannot be answered (%s)", request.method, request.rel_url.raw_path, mark)
            remedy = f"The {self._log} has the error, marked {mark}. Other pages may be shown all the same."
            response = self._page(500, "This page cannot be made", remedy)
        response.headers.update(HEADERS)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    def _page(self, status: int, title: str, remedy: str) -> web.Response:
        body = self._templates.page(
            "error.html", title=title, remedy=remedy, is_inside=status != web.HTTPForbidden.status_code
        )
        return web.Response(status=status, text=body, content_type="text/html")
