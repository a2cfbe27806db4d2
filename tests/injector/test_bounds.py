"""What comes from outside has bounds: bodies, reviews at once, events of a watch."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestClient, TestServer

from kwitness.contracts.endpoints import INJECT_PATH
from kwitness.injector.configuration import Configuration
from kwitness.injector.decision.decide import Place
from kwitness.injector.webhook import Webhook
from kwitness.runtime.watching import Collection, follow

from tests.eventually import eventually_beside


async def test_a_body_that_is_too_long_is_refused() -> None:
    async def unknown(_: str) -> Place | None:
        return None

    webhook = Webhook(Configuration(), unknown)
    async with TestClient(TestServer(webhook.application())) as client:
        answer = await client.post(INJECT_PATH, data=b" " * (5 * 1024 * 1024))

        assert answer.status == 413


async def test_more_reviews_than_can_be_under_way_are_refused_and_others_go_on() -> None:
    go_on, waiting = asyncio.Event(), []

    async def slow(name: str) -> Place | None:
        waiting.append(name)
        await go_on.wait()
        return None

    review = {
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
    async with TestClient(TestServer(Webhook(Configuration(), slow).application())) as client:
        under_way = [asyncio.create_task(client.post(INJECT_PATH, json=review)) for _ in range(64)]
        await eventually_beside(lambda: len(waiting), lambda count: count == 64)

        refused = await client.post(INJECT_PATH, json=review)

        assert refused.status == 503
        assert "64 reviews are under way" in await refused.text()
        go_on.set()
        assert {(await one).status for one in under_way} == {200}


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
