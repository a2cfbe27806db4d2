"""What comes from outside has bounds: bodies, reviews at once, events of a watch."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import ClientSession, TCPConnector, web
from aiohttp.test_utils import TestClient, TestServer

from kwitness.contracts.endpoints import INJECT_PATH
from kwitness.injector.configuration import Configuration
from kwitness.injector.decision.decide import Place
from kwitness.injector.webhook import Webhook
from kwitness.runtime.watching import Collection, follow

from tests.eventually import eventually_beside

REVIEW = {
    "apiVersion": "admission.k8s.io/v1",
    "kind": "AdmissionReview",
    "request": {
        "uid": "1",
        "namespace": "shop",
        "operation": "CREATE",
        "object": {},
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
    },
}
MIB = 1024 * 1024


async def unknown(_: str) -> Place | None:
    return None


async def test_a_body_that_is_too_long_is_refused() -> None:
    webhook = Webhook(Configuration(), unknown)
    async with TestClient(TestServer(webhook.application())) as client:
        answer = await client.post(INJECT_PATH, data=b" " * (5 * MIB))

        assert answer.status == 413


async def test_a_body_without_a_length_is_refused() -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"{}"

    async with TestClient(TestServer(Webhook(Configuration(), unknown).application())) as client:
        answer = await client.post(INJECT_PATH, data=pieces())

        assert answer.status == 411


async def test_more_reviews_than_can_be_under_way_are_refused_and_others_go_on() -> None:
    go_on, waiting = asyncio.Event(), []

    async def slow(name: str) -> Place | None:
        waiting.append(name)
        await go_on.wait()
        return None

    async with TestClient(TestServer(Webhook(Configuration(), slow).application())) as client:
        under_way = [asyncio.create_task(client.post(INJECT_PATH, json=REVIEW)) for _ in range(64)]
        await eventually_beside(lambda: len(waiting), lambda count: count == 64)

        refused = await client.post(INJECT_PATH, json=REVIEW)

        assert refused.status == 503
        assert "64 reviews are under way" in await refused.text()
        async with from_another_address() as another:
            answer = asyncio.create_task(another.post(client.make_url(INJECT_PATH), json=REVIEW))
            await eventually_beside(lambda: len(waiting), lambda count: count == 65)
            go_on.set()
            assert (await answer).status == 200
        assert {(await one).status for one in under_way} == {200}


async def test_bodies_that_do_not_come_use_the_room_of_their_sender_alone() -> None:
    webhook = Webhook(Configuration(), unknown)
    async with TestClient(TestServer(webhook.application())) as client:
        head = f"POST {INJECT_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: {2 * MIB}\r\n\r\n".encode()
        slow = [await asyncio.open_connection("127.0.0.1", client.port) for _ in range(4)]
        for _, writer in slow:
            writer.write(head)

        async def refused() -> int:
            return (await client.post(INJECT_PATH, data=b" " * MIB)).status

        while await refused() != 503:
            pass
        async with from_another_address() as another:
            assert (await another.post(client.make_url(INJECT_PATH), json=REVIEW)).status == 200
        for reader, writer in slow:
            assert (await reader.readline()).startswith(b"HTTP/1.1 408 ")
            writer.close()
        assert (await client.post(INJECT_PATH, json=REVIEW)).status == 200


def from_another_address() -> ClientSession:
    return ClientSession(connector=TCPConnector(local_addr=("127.0.0.2", 0)))


@pytest.mark.parametrize(
    ("event", "listed_again"),
    [
        (b'{"type": "ERROR", "object": {"code": 410}}\n', True),
        (b'{"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "2"}}}\n', False),
        (b"x" * (9 * 1024 * 1024), True),
    ],
    ids=["a version that is gone", "a bookmark", "an event without end"],
)
async def test_a_watch_that_cannot_go_on_begins_with_a_list_again(event: bytes, listed_again: bool) -> None:
    lists, watches = [], []

    async def answer(request: web.Request) -> web.StreamResponse:
        if "watch" not in request.query:
            lists.append(request.query)
            return web.json_response({"metadata": {"resourceVersion": "1"}, "items": [{"metadata": {"name": "a"}}]})
        watches.append(request.query["resourceVersion"])
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(event)
        return response

    application = web.Application()
    application.router.add_get("/things", answer)
    seen: list[Any] = []
    async with TestServer(application) as server, ClientSession() as session:
        things = Collection("/things", {}, seen.append, lambda one, gone: seen.append((one, gone)), str)
        following = asyncio.create_task(follow(session, str(server.make_url("")).rstrip("/"), things))
        await eventually_beside(lambda: len(watches), lambda count: count >= 2)
        following.cancel()

    assert (len(lists) > 1) is listed_again
    assert watches[1] == ("1" if listed_again else "2")
    assert seen
    assert all(one == [{"metadata": {"name": "a"}}] for one in seen)
