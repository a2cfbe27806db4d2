"""A person in front of the console's pod: through a forwarded port, with the name and certificate of browsers."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import requests
import yaml

from kwitness.demo import releases
from kwitness.demo.platform import CONSOLE, NAMESPACE, Platform
from kwitness.demo.secrets import CONSOLE_TLS

URL: Final = str(yaml.safe_load((releases.VALUES / "console.yaml").read_text())["console"]["url"])
_PAGES_PORT: Final = 443


class Page:
    """A page as it was answered."""

    def __init__(self, answer: requests.Response) -> None:
        self.status, self.source = answer.status_code, answer.text
        self.text = html.unescape(answer.text)


class ConsolePerson:
    """A person with a browser, who has signed in with a token."""

    def __init__(self, port: int, authority: Path, token: str) -> None:
        self._address = f"https://localhost:{port}"
        self._session = requests.Session()
        self._session.trust_env = False  # this machine may name an authority of its own
        self._session.verify = str(authority)
        # As a browser at the console's own address sends them.
        self._session.headers.update({"Host": URL.partition("://")[2], "Origin": URL})
        answer = self._sent("POST", "/sign-in", data={"token": token, "back": "/"}, allow_redirects=False)
        assert answer.status_code == requests.codes.see_other, answer.text

    def opens(self, path: str) -> Page:
        """Open a page."""
        return Page(self._sent("GET", path))

    def sends(self, path: str, form: dict[str, str]) -> Page:
        """Send a form, and open the page that follows."""
        answer = self._sent("POST", path, data=form, allow_redirects=False)
        return self.opens(answer.headers["Location"]) if answer.is_redirect else Page(answer)

    def _sent(self, method: str, path: str, **options: Any) -> requests.Response:
        return self._session.request(method, f"{self._address}{path}", timeout=30, **options)


class ConsoleDoor:
    """The console's Service, and the accounts of people."""

    def __init__(self, platform: Platform, port: int, folder: Path) -> None:
        self._cluster, self._port = platform.cluster, port
        self._authority = folder / "authority.pem"
        secret = platform.cluster.find("secret", CONSOLE_TLS, NAMESPACE)
        self._authority.write_bytes(base64.b64decode(secret["data"]["ca.crt"]))

    def token(self, account: str, namespace: str) -> str:
        """Return a token of an account, as TokenRequest gives it."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
        return str(self._cluster.objects.ask("POST", path, json={"spec": {}})["status"]["token"])

    def person(self, account: str, namespace: str) -> ConsolePerson:
        """Sign in with a token of an account."""
        return ConsolePerson(self._port, self._authority, self.token(account, namespace))


@contextmanager
def console_door(platform: Platform, folder: Path) -> Iterator[ConsoleDoor]:
    """Forward a port to the console until the block ends."""
    with platform.cluster.port_forward(NAMESPACE, f"service/{CONSOLE}", _PAGES_PORT) as port:
        yield ConsoleDoor(platform, port, folder)
