"""Checks ID tokens (OpenID Connect Core, section 3.1.3.7) by the keys of their provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from joserfc import jwt
from joserfc.errors import BadSignatureError, InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet

from kwitness.console.sign_in.openid_provider import OpenIdProvider
from kwitness.console.sign_in.reviews import User
from kwitness.console.sign_in.settings import OidcSettings

__all__ = ["IdTokenRefusedError", "checked_claims", "user_in"]

_ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by key pairs alone: neither `none`, nor one by a secret that the client has."""
_LEEWAY_S: Final = 30
_RESERVED: Final = "system:"
"""Names of Kubernetes itself, which no provider gives."""
_ALL_USERS: Final = "system:authenticated"
_MAX_GROUPS: Final = 1_000


class IdTokenRefusedError(Exception):
    """The token is not one of this issuer, for this client and this sign-in, that is valid now."""


async def checked_claims(token: str, nonce: str, settings: OidcSettings, provider: OpenIdProvider) -> Mapping[str, Any]:
    """Return the claims of a token.

    Raises
    ------
    IdTokenRefusedError
        Its signature, issuer, audience, time or nonce is wrong.
    ProviderUnavailableError
        The provider did not give its keys.
    """
    try:
        try:
            claims = _signed_claims(token, await provider.keys())
        except (InvalidKeyIdError, BadSignatureError):
            # The provider may have begun to sign with another key.
            claims = _signed_claims(token, await provider.keys(again=True))
        jwt.JWTClaimsRegistry(
            leeway=_LEEWAY_S,
            iss={"essential": True, "value": settings.issuer},
            aud={"essential": True, "value": settings.client_id},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
            nonce={"essential": True, "value": nonce},
        ).validate(claims)
    except (JoseError, ValueError, RecursionError) as error:
        raise IdTokenRefusedError(f"the ID token of {settings.issuer} is not accepted: {_reason(error)}") from error
    if claims.get("azp", settings.client_id) != settings.client_id:
        raise IdTokenRefusedError(f"the ID token of {settings.issuer} is for another client (azp)")
    return claims


def user_in(claims: Mapping[str, Any], settings: OidcSettings) -> User:
    """Return the user of checked claims, as the API server would name it.

    Raises
    ------
    IdTokenRefusedError
        The claims have no name, or one of Kubernetes itself.
    """
    claim = settings.username_claim
    name = claims.get(claim)
    if not isinstance(name, str) or not name:
        raise IdTokenRefusedError(f"the ID token has no claim {claim}: choose another with oidc.usernameClaim")
    if claim == "email" and claims.get("email_verified", True) is not True:
        raise IdTokenRefusedError("the provider has not verified the email address: it must be verified there first")
    name = settings.username_prefix + name
    if name.startswith(_RESERVED):
        raise IdTokenRefusedError(f"names that begin with {_RESERVED} are Kubernetes' own: set oidc.usernamePrefix")
    given = claims.get(settings.groups_claim or "", [])
    listed = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    groups = [settings.groups_prefix + group for group in listed[:_MAX_GROUPS] if isinstance(group, str) and group]
    return User(name, (*(group for group in groups if not group.startswith(_RESERVED)), _ALL_USERS))


def _signed_claims(token: str, keys: KeySet) -> dict[str, Any]:
    return jwt.decode(token, keys, algorithms=_ALGORITHMS).claims


def _reason(error: Exception) -> str:
    """Return the kind of an error, and the claim that it is about; values of the token are not repeated."""
    claim = getattr(error, "claim", None)
    return f"{type(error).__name__}{f' of {claim}' if claim else ''}"
