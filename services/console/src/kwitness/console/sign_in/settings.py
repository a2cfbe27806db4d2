"""Settings of the sign-in, as the chart renders them into the settings of the console's pod."""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel
from yarl import URL

__all__ = ["CheckedBy", "Method", "OidcSettings", "SignInSettings", "is_secure"]

Method = Literal["token", "proxy", "oidc"]
CheckedBy = Literal["apiServer", "console"]
_HEADER: Final = re.compile(r"[A-Za-z0-9-]{1,64}")
_NAMES: Final = re.compile(r".*(user|username|email|groups?|name|cookie|host)", re.IGNORECASE)
"""Headers in which proxies name a person: every program that reaches the console can write such a name."""


def is_secure(address: str) -> bool:
    """Return whether requests to an address are safe from readers on the way: by https, or on loopback."""
    try:
        url = URL(address)
    except ValueError:
        return False
    return bool(url.host) and (url.scheme == "https" or (url.scheme == "http" and _is_loopback(url.host)))


def _secure_url(text: str) -> str:
    if not is_secure(text):
        raise ValueError(f"{text!r} must begin with https://: over http, tokens could be read on their way")
    url = URL(text)
    if url.user is not None or url.query_string or url.fragment:
        raise ValueError(f"{text!r} must be a scheme, a host and a path alone, for example https://example.org/")
    return text


def _without_path(text: str) -> str:
    if URL(text).path not in {"", "/"}:
        raise ValueError(f"{text!r} has a path: the console needs a host name of its own")
    return text


def _is_loopback(host: str | None) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


SecureUrl = Annotated[str, AfterValidator(_secure_url)]


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)


class OidcSettings(_Settings):
    """An OpenID provider, and who checks its tokens."""

    issuer: SecureUrl = Field(description="Issuer, exactly as ID tokens name it.")
    client_id: str = Field(min_length=1, max_length=256, description="Client of the provider that the console is.")
    client_secret_file: Path | None = Field(
        None, description="File with the secret of that client; none for a public client, which PKCE protects alone."
    )
    ca_file: Path | None = Field(
        None, description="CA certificates of the provider, PEM; by default those of the image."
    )
    scopes: tuple[str, ...] = Field(
        ("openid", "email", "groups"), description="Scopes that are requested; openid is always among them."
    )
    checked_by: CheckedBy = Field(
        "apiServer",
        description=(
            "apiServer: the API server trusts the issuer and gets each ID token as it is. console: the console checks "
            "it, and asks for the permissions of its user with the account of the pod; then nothing can be written."
        ),
    )
    username_claim: str = Field("sub", min_length=1, description="With checkedBy console: claim of the user's name.")
    username_prefix: str = Field("", description="With checkedBy console: goes before the user's name.")
    groups_claim: str | None = Field("groups", description="With checkedBy console: claim of the user's groups.")
    groups_prefix: str = Field("", description="With checkedBy console: goes before each group.")


class SignInSettings(_Settings):
    """The ways to sign in, and the address under which the console answers."""

    external_url: Annotated[SecureUrl, AfterValidator(_without_path)] = Field(
        description="Address of the console in browsers; requests under other names are refused."
    )
    methods: tuple[Method, ...] = Field(
        ("token",),
        min_length=1,
        description="token: a person pastes one. proxy: each request has one. oidc: a provider gives one.",
    )
    proxy_header: str = Field(
        "Authorization", description="Header in which the proxy passes the token on; a name alone is not believed."
    )
    oidc: OidcSettings | None = Field(None, description="The provider, with the method oidc.")
    permissions_seconds: float = Field(
        60, ge=0, le=300, description="Seconds for which an answer about a person's permissions is used."
    )
    clients_role: str = Field(
        "view",
        min_length=1,
        description="ClusterRole that allows to get clients.kwitness.dev, as pages name it to people without it.",
    )

    @model_validator(mode="after")
    def _has_what_methods_need(self) -> SignInSettings:
        if ("oidc" in self.methods) != (self.oidc is not None):
            raise ValueError("methods has oidc if and only if the provider is described in oidc")
        if not _HEADER.fullmatch(self.proxy_header):
            raise ValueError(f"proxyHeader {self.proxy_header!r} must be the name of a header, such as Authorization")
        if _NAMES.fullmatch(self.proxy_header):
            raise ValueError(
                f"proxyHeader {self.proxy_header} has a name and no token, which proves nothing: have the proxy pass "
                "the token on, in Authorization or X-Forwarded-Access-Token"
            )
        return self

    @property
    def origin(self) -> str:
        """The origin of the console's pages, as browsers send it."""
        return str(URL(self.external_url).origin())

    @property
    def host(self) -> str:
        """The header `Host` of requests to the console."""
        return self.origin.partition("://")[2]
