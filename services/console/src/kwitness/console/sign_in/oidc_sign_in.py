"""Signs people in at an OpenID provider: the way there and back, and the credential that its ID token makes."""

from __future__ import annotations

import hmac
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final

from kwitness.console.sign_in.credentials import Credential
from kwitness.console.sign_in.id_tokens import IdTokenRefusedError, checked_claims, user_in
from kwitness.console.sign_in.oidc_flow import MAX_FLOW_S, Flow, Flows
from kwitness.console.sign_in.openid_provider import CodeRefusedError, OpenIdProvider
from kwitness.console.sign_in.reviews import TOKEN_TEXT
from kwitness.console.sign_in.settings import OidcSettings

__all__ = ["OidcSignIn", "SignInFailedError"]

_CODE: Final = re.compile(r"[\x20-\x7e]{1,4096}")
_ERROR: Final = re.compile(r"[a-z_]{1,64}")
"""An error of RFC 6749; its description is a stranger's text, and is not shown."""


class SignInFailedError(Exception):
    """The person is not signed in; the message is a sentence and a remedy.

    Attributes
    ----------
    back
        Address of the console that the person was on the way to.
    """

    def __init__(self, message: str, back: str = "/") -> None:
        super().__init__(message)
        self.back = back


class OidcSignIn:
    """The sign-in at one provider."""

    def __init__(self, settings: OidcSettings, provider: OpenIdProvider) -> None:
        self._settings = settings
        self._provider = provider
        self._flows = Flows()

    @classmethod
    @asynccontextmanager
    async def opened(cls, settings: OidcSettings, redirect_address: str) -> AsyncIterator[OidcSignIn]:
        """Open a session to the provider until the block ends.

        Raises
        ------
        OSError
            The file with its CA certificates cannot be read, or has none.
        """
        async with OpenIdProvider.opened(settings, redirect_address) as provider:
            yield cls(settings, provider)

    async def begin(self, back: str) -> tuple[Flow, str]:
        """Return a new flow, and the address of the provider at which the person signs in.

        Raises
        ------
        ProviderUnavailableError
            The provider gave no usable answer.
        """
        flow = self._flows.begin(back)
        return flow, await self._provider.address(flow)

    def returned(self, cookie: str, query: Mapping[str, str]) -> tuple[Flow, str]:
        """Return the flow of a person who comes back from the provider, and the code that the provider gave.

        Raises
        ------
        SignInFailedError
            The way back does not belong to the way there, or the provider gave no code.
        """
        flow = self._flows.find(cookie)
        if flow is None or not hmac.compare_digest(
            query.get("state", "").encode(errors="replace"), flow.state.encode()
        ):
            raise SignInFailedError(
                f"This sign-in has ended, began in another browser, or more than {MAX_FLOW_S // 60} minutes ago: "
                "sign in again."
            )
        if query.get("iss", self._settings.issuer) != self._settings.issuer:
            raise SignInFailedError("Another provider than the console's answered: sign in again.", flow.back)
        code = query.get("code", "")
        if not _CODE.fullmatch(code):
            raise SignInFailedError(f"The provider did not sign you in{_error_in(query)}: try again there.", flow.back)
        return flow, code

    async def credential(self, code: str, flow: Flow) -> Credential:
        """Return the credential that a code gives.

        Raises
        ------
        SignInFailedError
            The provider does not accept the code, or its token is not accepted.
        ProviderUnavailableError
            The provider gave no usable answer.
        """
        try:
            token = await self._provider.id_token(code, flow)
            return await self._credential(token, flow)
        except CodeRefusedError as error:
            raise SignInFailedError(
                "The provider does not accept its code, which can be used once: sign in again.", flow.back
            ) from error
        except IdTokenRefusedError as error:
            raise SignInFailedError(f"You are not signed in: {error}.", flow.back) from error

    async def _credential(self, token: str, flow: Flow) -> Credential:
        claims = await checked_claims(token, flow.nonce, self._settings, self._provider)
        if self._settings.checked_by == "console":
            return Credential.of_checked_user(token, user_in(claims, self._settings), float(claims["exp"]))
        if not TOKEN_TEXT.fullmatch(token):
            raise IdTokenRefusedError("the ID token is longer than the API server reads")
        return Credential.of_token(token)


def _error_in(query: Mapping[str, str]) -> str:
    error = query.get("error", "")
    return f" ({error})" if _ERROR.fullmatch(error) else ""
