"""Checks which settings of the sign-in are refused, each with its field and what is right."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from kwitness.console.sign_in.settings import SignInSettings

OIDC = {"issuer": "https://login.example.org/realm/", "clientId": "kwitness"}


def settings(**more: Any) -> SignInSettings:
    return SignInSettings.model_validate({"externalUrl": "https://clients.example.org/", **more})


def test_origin_and_host_are_those_that_browsers_send() -> None:
    assert (settings().origin, settings().host) == ("https://clients.example.org", "clients.example.org")
    usual = settings(externalUrl="https://Clients.example.org:443")
    assert (usual.origin, usual.host) == ("https://clients.example.org", "clients.example.org")
    own = settings(externalUrl="http://[::1]:8080/")
    assert (own.origin, own.host) == ("http://[::1]:8080", "[::1]:8080")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"externalUrl": "http://clients.example.org"}, "must begin with https://"),
        ({"externalUrl": "http://127.0.0.1.example.org"}, "must begin with https://"),
        ({"externalUrl": "https://me:secret@clients.example.org"}, "a scheme, a host and a path alone"),
        ({"externalUrl": "https://clients.example.org/console"}, "a host name of its own"),
        ({"methods": []}, "at least 1 item"),
        ({"methods": ["password"]}, "'token', 'proxy' or 'oidc'"),
        ({"methods": ["oidc"]}, "if and only if the provider is described"),
        ({"oidc": OIDC}, "if and only if the provider is described"),
        ({"methods": ["oidc"], "oidc": {**OIDC, "issuer": "http://login.example.org"}}, "must begin with https://"),
        ({"methods": ["oidc"], "oidc": {**OIDC, "secret": "s"}}, "Extra inputs are not permitted"),
        ({"methods": ["proxy"], "proxyHeader": "X-Token: a"}, "must be the name of a header"),
        ({"permissionsSeconds": 301}, "less than or equal to 300"),
    ],
)
def test_wrong_settings_are_refused_with_the_reason(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        settings(**given)


def test_an_issuer_stays_as_it_is_since_tokens_name_it_exactly() -> None:
    found = settings(methods=["token", "oidc"], oidc=OIDC).oidc

    assert found is not None
    assert found.issuer == OIDC["issuer"]
