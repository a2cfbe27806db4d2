"""A console that signs people in at the OpenID provider, and the way there and back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from kwitness.runtime.api_access import ApiAccess

from tests.console.cluster_console import Answered, Browser, ClusterConsole, cluster_console
from tests.console.openid_provider import CLIENT, SECRET, OpenIdProvider


@asynccontextmanager
async def oidc_console(
    access: ApiAccess, provider: OpenIdProvider, folder: Path, **more: Any
) -> AsyncIterator[ClusterConsole]:
    """Open a console that signs people in at the provider."""
    secret = folder / "secret"
    secret.write_text(f"{SECRET}\n")
    oidc = {
        "issuer": provider.issuer,
        "clientId": CLIENT,
        "clientSecretFile": str(secret),
        "caFile": str(provider.ca_file),
        **more,
    }
    async with cluster_console(access, methods=["oidc"], oidc=oidc) as console:
        yield console


async def way_back(browser: Browser, provider: OpenIdProvider, back: str = "/") -> str:
    """Go to the provider, sign in there, and return the address of the console that comes next."""
    answer = await browser.get(f"/sign-in/oidc?back={back}")
    assert answer.status == 303, answer.text
    return provider.authorize(answer.headers["Location"]).raw_path_qs


async def signed_in(browser: Browser, provider: OpenIdProvider, back: str = "/") -> Answered:
    return await browser.get(await way_back(browser, provider, back))
