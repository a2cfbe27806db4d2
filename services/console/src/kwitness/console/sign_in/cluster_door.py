"""Lets people of a cluster in: by tokens that they paste, that a proxy passes on, or that an OpenID provider gives."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Final, NamedTuple

from aiohttp import web

from kwitness.console.door import READER, SAFE_METHODS, SIGN_OUT, TOKEN, Handler, RefusedError, inner_address
from kwitness.console.pages.templates import Templates
from kwitness.console.readers import Reader, TooManyNamespacesError
from kwitness.console.sign_in.attempts import Attempts
from kwitness.console.sign_in.credentials import Credential
from kwitness.console.sign_in.oidc_flow import MAX_FLOW_S, Flow
from kwitness.console.sign_in.oidc_sign_in import OidcSignIn, SignInFailedError
from kwitness.console.sign_in.openid_provider import ProviderUnavailableError
from kwitness.console.sign_in.permissions import Permissions
from kwitness.console.sign_in.reviews import TOKEN_TEXT, ApiReviews, ApiUnavailableError
from kwitness.console.sign_in.sessions import Sessions
from kwitness.console.sign_in.settings import SignInSettings
from kwitness.console.sign_in.sign_in_pages import SignInPages
from kwitness.runtime.api_access import ApiAccess

__all__ = [
    "FLOW_COOKIE",
    "RETURN_PATH",
    "SESSION_COOKIE",
    "SIGN_IN_PATH",
    "SIGN_OUT_PATH",
    "ClusterDoor",
    "cluster_door",
]

SIGN_IN_PATH: Final = "/sign-in"
OIDC_PATH: Final = "/sign-in/oidc"
RETURN_PATH: Final = "/sign-in/return"
SIGN_OUT_PATH: Final = "/sign-out"
SESSION_COOKIE: Final = "__Host-kwitness-session"
FLOW_COOKIE: Final = "__Host-kwitness-sign-in"
_STATIC: Final = "/static/"
_BEARER: Final = re.compile(r"(?:bearer +)?(.*)", re.IGNORECASE)
_MAX_FORM: Final = 20 * 1024
"""Bytes of the form with a token, encoded."""
_UNAVAILABLE: Final = 503
_UNKNOWN_ISSUER: Final = (
    "The API server does not accept ID tokens of this provider: an administrator has it trust the issuer and this "
    "client, or sets oidc.checkedBy to console."
)
_LOG: Final = logging.getLogger(__name__)


class _Presented(NamedTuple):
    """The credential of a request, by a session if it has one; or the reason why there is none."""

    credential: Credential | None
    session: str | None = None
    reason: str = ""


class ClusterDoor:
    """The door of a console in a cluster."""

    def __init__(
        self, settings: SignInSettings, permissions: Permissions, pages: SignInPages, oidc: OidcSignIn | None
    ) -> None:
        self._settings = settings
        self._permissions = permissions
        self._pages = pages
        self._sessions = Sessions()
        self._attempts = Attempts()
        self._own: dict[tuple[str, str], Callable[[web.Request], Awaitable[web.StreamResponse]]] = {
            ("GET", SIGN_IN_PATH): self._show_ways,
            ("POST", SIGN_OUT_PATH): self._sign_out,
        }
        if "token" in settings.methods:
            self._own["POST", SIGN_IN_PATH] = self._sign_in_by_token
        if oidc is not None:
            self._own["GET", OIDC_PATH] = partial(self._go_to_provider, oidc)
            self._own["GET", RETURN_PATH] = partial(self._return_from_provider, oidc)

    @web.middleware
    async def guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Sign a person in or out, or name who a request is of.

        Raises
        ------
        RefusedError
            The request is not let in.
        """
        if request.headers.get("Host", "").lower() != self._settings.host:
            raise RefusedError(f"The console answers under {self._settings.external_url} alone: open that address.")
        if request.method not in SAFE_METHODS and request.headers.get("Origin", "") != self._settings.origin:
            raise RefusedError("A form of another site was sent here: use the forms of the console.")
        if request.path.startswith(_STATIC) and request.method in SAFE_METHODS:
            return await handler(request)
        own = self._own.get((request.method, request.path))
        return await (self._admit(request, handler) if own is None else own(request))

    async def _admit(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        presented = self._presented(request)
        credential, session = presented.credential, presented.session
        if credential is None:
            return self._unauthenticated(request, presented.reason)
        reader = await self._reader(credential, request, is_known=session is not None)
        if reader is None:
            if session is not None:
                self._sessions.end(session)
            return self._unauthenticated(request, "The API server does not accept the token, or not any more.")
        if not (reader.sees_all or reader.namespaces):
            return self._pages.without_permission(reader.name, has_session=session is not None)
        request[READER] = reader
        if credential.token is not None:
            request[TOKEN] = credential.token
        if session is not None:
            request[SIGN_OUT] = SIGN_OUT_PATH
        return await handler(request)

    def _presented(self, request: web.Request) -> _Presented:
        header = self._settings.proxy_header
        if "proxy" in self._settings.methods and header in request.headers:
            token = _token_in(request.headers.getall(header))
            if token is None:
                return _Presented(None, reason=f"The header {header} of this request has no token.")
            credential = Credential.of_token(token)
            if credential.is_expired:
                return _Presented(None, reason="The token that the proxy passed on has expired.")
            return _Presented(credential)
        number = request.cookies.get(SESSION_COOKIE)
        if number is None:
            return _Presented(None)
        session = self._sessions.find(number)
        if session is None:
            return _Presented(None, reason="Your session has ended.")
        return _Presented(session.credential, number)

    async def _reader(self, credential: Credential, request: web.Request, *, is_known: bool) -> Reader | None:
        """Return the reader of a credential; the API server is asked about few that it has not accepted before.

        Raises
        ------
        RefusedError
            There are too many of these or of the person's namespaces, or the API server gave no answer.
        """
        try:
            if is_known or self._permissions.is_known(credential):
                return await self._permissions.reader(credential)
            with self._attempts.attempt(request.remote or "") as attempt:
                reader = await self._permissions.reader(credential)
                attempt.is_refused = reader is None
                return reader
        except TooManyNamespacesError as error:
            raise RefusedError(f"{error}.", title="Too many namespaces") from error
        except ApiUnavailableError as error:
            raise RefusedError(
                f"The API server does not say what you may see: {error}. Nobody sees clients without its answer: try "
                "again in a moment, and look at its health if that lasts.",
                title="The API server cannot be asked",
                status=_UNAVAILABLE,
            ) from error

    async def _show_ways(self, request: web.Request) -> web.Response:
        return self._pages.sign_in(back=inner_address(request.query.get("back")), status=200)

    async def _sign_in_by_token(self, request: web.Request) -> web.Response:
        if request.content_length is None or request.content_length > _MAX_FORM:
            raise web.HTTPRequestEntityTooLarge(max_size=_MAX_FORM, actual_size=request.content_length or 0)
        form = await request.post()
        back, token = inner_address(form.get("back")), str(form.get("token", "")).strip()
        if not TOKEN_TEXT.fullmatch(token):
            return self._pages.sign_in("This is no token: paste the line that kubectl printed, whole.", back=back)
        credential = Credential.of_token(token)
        if credential.is_expired:
            return self._pages.sign_in("This token has expired: create another one.", back=back)
        reader = await self._reader(credential, request, is_known=False)
        if reader is None:
            reason = "The API server does not accept this token: create another one, without an audience of its own."
            return self._pages.sign_in(reason, back=back)
        return self._signed_in(request, credential, reader, back)

    async def _go_to_provider(self, oidc: OidcSignIn, request: web.Request) -> web.Response:
        try:
            flow, address = await oidc.begin(inner_address(request.query.get("back")))
        except ProviderUnavailableError as error:
            raise _without_provider(error) from error
        response = web.Response(status=303, headers={"Location": address})
        _set_cookie(response, FLOW_COOKIE, flow.cookie, MAX_FLOW_S)
        return response

    async def _return_from_provider(self, oidc: OidcSignIn, request: web.Request) -> web.Response:
        try:
            flow, code = oidc.returned(request.cookies.get(FLOW_COOKIE, ""), request.query)
            credential = await self._credential(oidc, code, flow, request.remote or "")
            reader = await self._reader(credential, request, is_known=False)
        except SignInFailedError as error:
            response = self._pages.sign_in(str(error), back=error.back)
        except ProviderUnavailableError as error:
            raise _without_provider(error) from error
        else:
            if reader is None:
                response = self._pages.sign_in(_UNKNOWN_ISSUER, back=flow.back)
            else:
                response = self._signed_in(request, credential, reader, flow.back)
        _delete_cookie(response, FLOW_COOKIE)
        return response

    async def _credential(self, oidc: OidcSignIn, code: str, flow: Flow, peer: str) -> Credential:
        with self._attempts.attempt(peer) as attempt:
            try:
                return await oidc.credential(code, flow)
            except SignInFailedError:
                attempt.is_refused = True
                raise

    def _signed_in(self, request: web.Request, credential: Credential, reader: Reader, back: str) -> web.Response:
        """Begin a session with a new id: one that was in the browser before is worth nothing any more."""
        self._sessions.end(request.cookies.get(SESSION_COOKIE, ""))
        response = web.Response(status=303, headers={"Location": back})
        _set_cookie(response, SESSION_COOKIE, self._sessions.begin(credential, reader.name))
        _LOG.info("A person signed in", extra={"reader": reader.name, "path": request.path})
        return response

    async def _sign_out(self, request: web.Request) -> web.Response:
        self._sessions.end(request.cookies.get(SESSION_COOKIE, ""))
        response = self._pages.sign_in("You have signed out.", status=200)
        _delete_cookie(response, SESSION_COOKIE)
        return response

    def _unauthenticated(self, request: web.Request, reason: str) -> web.Response:
        """Answer with the page to sign in, which returns to this address."""
        back = request.rel_url.raw_path_qs if request.method in SAFE_METHODS else "/"
        response = self._pages.sign_in(reason, back=inner_address(back))
        response.headers["WWW-Authenticate"] = 'Bearer realm="kwitness"'
        return response


def _set_cookie(response: web.Response, name: str, value: str, max_age: int | None = None) -> None:
    """Set a cookie of this host alone. Not SameSite=Strict: links in alerts, and the provider's way back, need it."""
    response.set_cookie(name, value, path="/", secure=True, httponly=True, samesite="Lax", max_age=max_age)


def _delete_cookie(response: web.Response, name: str) -> None:
    response.del_cookie(name, path="/", secure=True, httponly=True, samesite="Lax")


def _without_provider(error: ProviderUnavailableError) -> RefusedError:
    return RefusedError(
        f"The OpenID provider does not sign people in now: {error}. Try again in a moment.",
        title="The OpenID provider cannot be asked",
        status=_UNAVAILABLE,
    )


def _token_in(values: list[str]) -> str | None:
    """Return the token of a header, which has one value."""
    if len(values) != 1:
        return None
    found = _BEARER.fullmatch(values[0].strip())
    return found[1] if found is not None and TOKEN_TEXT.fullmatch(found[1]) else None


@asynccontextmanager
async def cluster_door(
    settings: SignInSettings,
    access: ApiAccess,
    templates: Templates,
    namespaces: Callable[[], Collection[str]],
) -> AsyncIterator[ClusterDoor]:
    """Open the door of a console in a cluster until the block ends.

    Parameters
    ----------
    access
        The API server, and the account of the pod.
    namespaces
        Returns the namespaces of the clients that the index knows; called on a thread.

    Raises
    ------
    OSError
        The CA certificates of the OpenID provider cannot be read.
    ValueError
        The access has a client certificate.
    """
    async with AsyncExitStack() as stack:
        reviews = await stack.enter_async_context(ApiReviews.opened(access))
        oidc = None
        if settings.oidc is not None:
            address = f"{settings.origin}{RETURN_PATH}"
            oidc = await stack.enter_async_context(OidcSignIn.opened(settings.oidc, address))
        permissions = Permissions(reviews, namespaces, settings.permissions_seconds)
        yield ClusterDoor(settings, permissions, SignInPages(templates, settings), oidc)
