"""A console behind the door of a cluster, over a real API server; its only page shows who reads."""

from __future__ import annotations

import asyncio
import html
import json
import re
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import aiohttp
from aiohttp import web
from yarl import URL

from kwitness.console.answers import Answers
from kwitness.console.door import READER, SIGN_OUT, TOKEN
from kwitness.console.pages.templates import Templates
from kwitness.console.sign_in.cluster_door import ClusterDoor, cluster_door
from kwitness.console.sign_in.settings import SignInSettings
from kwitness.console.static_files import static_route
from kwitness.contracts.resources.meta import GROUP
from kwitness.e2e.api_server import ApiServer
from kwitness.runtime.api_access import ApiAccess

BINDING = "rbac.authorization.k8s.io/v1"


class Accounts:
    """Service accounts of the API server, and what they may."""

    def __init__(self, api: ApiServer) -> None:
        self._api = api

    def prepare(self) -> None:
        """Let the account red-team, and a group of a provider, see clients of red, and platform those of all."""
        self.role()
        for name in ("red", "blue", "green"):
            self._api.objects.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        self.allow("red-team", "red")
        self.allow("platform", None)
        group = {"kind": "Group", "name": "oidc:red-team", "apiGroup": "rbac.authorization.k8s.io"}
        self._api.objects.apply(_binding("RoleBinding", "group", "red", "see-clients", group))

    def role(self, name: str = "see-clients") -> str:
        """Make the ClusterRole that allows to see clients."""
        rules = [{"apiGroups": [GROUP], "resources": ["clients"], "verbs": ["get"]}]
        self._api.objects.apply(
            {"apiVersion": BINDING, "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules}
        )
        return name

    def token(self, account: str, *, audiences: Sequence[str] = ()) -> str:
        """Return a token of an account in the namespace `default`, which is made if it does not exist."""
        self._api.objects.apply(
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": account, "namespace": "default"}}
        )
        spec = {"audiences": list(audiences)} if audiences else {}
        answer = self._api.request(
            "POST", f"/api/v1/namespaces/default/serviceaccounts/{account}/token", json={"spec": spec}
        )
        assert answer.ok, answer.text
        return str(answer.json()["status"]["token"])

    def allow(self, account: str, namespace: str | None, role: str = "see-clients") -> None:
        """Bind a ClusterRole to an account, in a namespace or in all."""
        kind = "ClusterRoleBinding" if namespace is None else "RoleBinding"
        subject = {"kind": "ServiceAccount", "name": account, "namespace": "default"}
        self._api.objects.apply(_binding(kind, f"{account}-{role}", namespace, role, subject))

    def forbid(self, account: str, namespace: str, role: str = "see-clients") -> None:
        """Take the permission in a namespace away."""
        self._api.objects.delete("rolebinding", f"{account}-{role}", namespace=namespace)


def _binding(kind: str, name: str, namespace: str | None, role: str, subject: Mapping[str, str]) -> dict[str, Any]:
    return {
        "apiVersion": BINDING,
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
        "subjects": [subject],
    }


@dataclass
class Answered:
    """An answer of the console, read."""

    status: int
    text: str
    headers: Mapping[str, str]
    cookies: list[str] = field(default_factory=list)

    @property
    def reader(self) -> dict[str, Any]:
        """The reader, as the page behind the door shows it."""
        assert self.status == 200, self.text
        return cast("dict[str, Any]", json.loads(self.text))

    @property
    def reason(self) -> str:
        """Why the page to sign in is shown."""
        found = re.search(r'class="note warn" role="alert">(.*?)</p>', self.text, re.DOTALL)
        return html.unescape(found[1]) if found else ""


class Browser:
    """A browser, with cookies of its own."""

    def __init__(self, console: ClusterConsole, session: aiohttp.ClientSession) -> None:
        self._console, self.session = console, session

    async def ask(self, method: str, path: str, **more: Any) -> Answered:
        """Return one answer; redirects are not followed."""
        async with self.session.request(
            method, URL(f"{self._console.address}{path}", encoded=True), allow_redirects=False, **more
        ) as answer:
            cookies = answer.headers.getall("Set-Cookie", [])
            return Answered(answer.status, await answer.text(), dict(answer.headers), cookies)

    async def get(self, path: str = "/", **more: Any) -> Answered:
        return await self.ask("GET", path, **more)

    async def post(self, path: str, form: Mapping[str, str] | None = None, **more: Any) -> Answered:
        """Send a form as a page of the console does."""
        return await self.ask("POST", path, data=form or {}, **{"headers": {"Origin": self._console.address}, **more})

    async def sign_in(self, token: str, back: str = "/") -> Answered:
        return await self.post("/sign-in", {"token": token, "back": back})

    @property
    def cookies(self) -> dict[str, str]:
        return {cookie.key: cookie.value for cookie in self.session.cookie_jar}


@dataclass
class ClusterConsole:
    """A console, and the namespaces that its index knows."""

    address: str
    door: ClusterDoor
    namespaces: list[str]
    _stack: AsyncExitStack

    async def browser(self) -> Browser:
        """Open one more browser."""
        jar = aiohttp.CookieJar(unsafe=True, treat_as_secure_origin=[URL(self.address)])
        return Browser(self, await self._stack.enter_async_context(aiohttp.ClientSession(cookie_jar=jar)))


@asynccontextmanager
async def cluster_console(
    access: ApiAccess,
    *,
    namespaces: Sequence[str] = ("red", "blue", "green"),
    address: str = "http://127.0.0.1",
    **settings: Any,
) -> AsyncIterator[ClusterConsole]:
    """Serve the console until the block ends."""
    known = list(namespaces)
    listening = socket.create_server(("127.0.0.1", 0))
    address = f"{address}:{listening.getsockname()[1]}"
    templates = Templates()
    async with AsyncExitStack() as stack:
        door = await stack.enter_async_context(
            cluster_door(
                SignInSettings.model_validate({"externalUrl": address, **settings}), access, templates, lambda: known
            )
        )
        app = web.Application(middlewares=[Answers(templates).complete, door.guard])
        app.router.add_routes([static_route(), web.route("*", "/{path:.*}", _shown)])
        runner = web.AppRunner(app)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        await web.SockSite(runner, listening).start()
        yield ClusterConsole(address, door, known, stack)


async def _shown(request: web.Request) -> web.Response:
    reader = request.get(READER)
    return web.json_response(
        {
            "name": reader and reader.name,
            "namespaces": sorted(reader.namespaces) if reader and reader.namespaces is not None else None,
            "writes": TOKEN in request,
            "signs_out": request.get(SIGN_OUT),
        }
    )


class Relay:
    """A way to the API server that can be cut, and mended."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self.port = 0

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        if self._server is None:
            return
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        self._server = None

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection("127.0.0.1", self._port)
        self._writers |= {writer, there[1]}
        await asyncio.gather(_pass(reader, there[1]), _pass(there[0], writer))
        self._writers -= {writer, there[1]}


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()
