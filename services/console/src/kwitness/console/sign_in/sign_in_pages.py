"""Fills the pages before a person is let in: the ways to sign in, and the commands that give a permission."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Final

from aiohttp import web
from yarl import URL

from kwitness.console.pages.templates import Templates
from kwitness.console.sign_in.settings import SignInSettings

__all__ = ["SignInPages"]

_ACCOUNT: Final = "system:serviceaccount:"
_ROLE_BINDING: Final = "kwitness-clients"
_NO_PART_OF_NAMES: Final = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME: Final = 63


class SignInPages:
    """Both pages, by the settings."""

    def __init__(self, templates: Templates, settings: SignInSettings) -> None:
        self._templates = templates
        self._settings = settings

    def sign_in(self, reason: str = "", *, back: str = "/", status: int = 401) -> web.Response:
        """Return the page with the ways to sign in.

        Parameters
        ----------
        reason
            Why the page is shown; empty for a first visit.
        back
            Address of the console that is shown afterwards.
        """
        text = self._templates.page(
            "sign_in.html",
            reason=reason,
            back=back,
            methods=self._settings.methods,
            proxy_header=self._settings.proxy_header,
            provider=URL(self._settings.oidc.issuer).host if self._settings.oidc else "",
        )
        return _html(text, status)

    def without_permission(self, name: str, *, has_session: bool) -> web.Response:
        """Return the page for a person who may see no clients, with the commands that change that."""
        text = self._templates.page(
            "no_permission.html",
            name=name,
            commands=_commands(name, self._settings.clients_role),
            has_session=has_session,
        )
        return _html(text, web.HTTPForbidden.status_code)


def _commands(name: str, role: str) -> Sequence[tuple[str, str]]:
    """Return what gives the permission in a namespace, and in all."""
    account = name.removeprefix(_ACCOUNT)
    subject = f"--user={name}" if account == name else f"--serviceaccount={account}"
    binding = f"{_ROLE_BINDING}-{_NO_PART_OF_NAMES.sub('-', account.lower()).strip('-')}"[:_LONGEST_NAME]
    given = shlex.join([f"--clusterrole={role}", subject])
    return (
        ("In one namespace", f"kubectl create rolebinding {binding} {given} --namespace=NAMESPACE"),
        ("In all namespaces", f"kubectl create clusterrolebinding {binding} {given}"),
    )


def _html(text: str, status: int) -> web.Response:
    response = web.Response(status=status, text=text, content_type="text/html")
    # Rows that a script refreshes become this page too.
    response.headers["HX-Refresh"] = "true"
    return response
