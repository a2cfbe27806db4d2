"""Keeps in cookies what a browser chose: preferences, an owner, and until when findings were seen."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote

from aiohttp import web

from kwitness.console.door import inner_address
from kwitness.console.pages.preferences import LONGEST_OWNER, OWNER_COOKIE, PREFERENCES

__all__ = ["kept_routes", "seen_ms"]

_YEAR_S: Final = 365 * 86_400
_SEEN: Final = "kwitness-findings-seen"
_LONGEST: Final = 16


def kept_routes() -> Sequence[web.RouteDef]:
    """Return the routes of forms whose choice is kept."""
    return (web.post("/preferences", _keep_preferences), web.post("/findings/seen", _keep_seen))


def seen_ms(cookies: Mapping[str, str]) -> int:
    """Return when findings were marked as seen, in milliseconds since 1970; 0 if they never were."""
    text = cookies.get(_SEEN, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < _LONGEST else 0


async def _keep_preferences(request: web.Request) -> web.Response:
    """Keep what a form prefers, and return to its page."""
    form = await request.post()
    response = web.Response(status=303, headers={"Location": inner_address(form.get("back"))})
    for preference in PREFERENCES:
        value = form.get(preference.name)
        if isinstance(value, str) and value in preference.values:
            _keep(response, preference.cookie, value)
    owner = form.get("own")
    if isinstance(owner, str) and len(owner) <= LONGEST_OWNER:
        # Names of owners have characters that cookies do not.
        _keep(response, OWNER_COOKIE, quote(owner, safe=""))
    return response


async def _keep_seen(_: web.Request) -> web.Response:
    """Keep that all findings were seen now, and return to them."""
    response = web.Response(status=303, headers={"Location": "/findings"})
    _keep(response, _SEEN, str(int(time.time() * 1000)))
    return response


def _keep(response: web.Response, name: str, value: str) -> None:
    response.set_cookie(name, value, max_age=_YEAR_S, httponly=True, samesite="Strict", path="/")
