"""Who invents tokens costs the API server little, and costs nobody else his answer."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from kwitness.collector.failures import UnavailableError
from kwitness.collector.ingest import token_review
from kwitness.collector.ingest.token_review import TokenReviewer, User
from kwitness.contracts.audiences import collector_audience, says_audience

from tests.eventually import patiently

AUDIENCE = collector_audience("default", "main")


def token(audience: object, signature: str = "signed") -> str:
    """A token as Kubernetes makes them, which says for whom it is."""
    parts = [{"alg": "RS256"}, {"aud": audience, "sub": "system:serviceaccount:a:b"}]
    return ".".join(
        [*(base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in parts), signature]
    )


MOST = 8
"""Questions at once."""
GOOD = token([AUDIENCE])


class Api:
    """Stands for the API server's TokenReview, and takes its time while it is told to."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.at_once = self.most_at_once = 0
        self.go_on, self.is_full = asyncio.Event(), asyncio.Event()
        self.go_on.set()

    async def review(self, request: web.Request) -> web.Response:
        """Answer that the one good token is good."""
        asked = (await request.json())["spec"]["token"]
        self.asked.append(asked)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        if self.at_once == MOST:
            self.is_full.set()
        await self.go_on.wait()
        self.at_once -= 1
        good = asked == GOOD
        status = {"authenticated": good, "audiences": [AUDIENCE] if good else [], "user": {"username": "sender"}}
        return web.json_response({"status": status}, status=201)


@pytest.fixture
async def api() -> Api:
    return Api()


@pytest.fixture
async def reviewer(api: Api, tmp_path: Path) -> AsyncIterator[TokenReviewer]:
    (tmp_path / "token").write_text("own")
    application = web.Application()
    application.router.add_post("/apis/authentication.k8s.io/v1/tokenreviews", api.review)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    yield TokenReviewer(f"http://{host}:{port}", tmp_path)
    await runner.cleanup()


@pytest.mark.parametrize("one", ["random", "a.b.c", token(["kwitness-collector.other.main"]), token(None), "x.W10.y"])
async def test_a_token_that_does_not_say_to_be_meant_is_refused_without_asking(
    api: Api, reviewer: TokenReviewer, one: str
) -> None:
    assert await reviewer.user(one, AUDIENCE) is None
    assert api.asked == []


async def test_what_a_token_says_of_itself_lets_nobody_in(api: Api, reviewer: TokenReviewer) -> None:
    forged = token([AUDIENCE], "forged")

    assert says_audience(forged, AUDIENCE)
    assert await reviewer.user(forged, AUDIENCE) is None
    assert api.asked == [forged]
    assert await reviewer.user(GOOD, AUDIENCE) == User("sender")


async def test_bad_tokens_push_out_no_good_one(
    api: Api, reviewer: TokenReviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_review, "_MAX_REMEMBERED", 3)
    await reviewer.user(GOOD, AUDIENCE)
    for number in range(10):
        await reviewer.user(token([AUDIENCE], f"forged-{number}"), AUDIENCE)

    assert await reviewer.user(GOOD, AUDIENCE) == User("sender")

    assert api.asked.count(GOOD) == 1
    assert len(reviewer._refused) == 3


async def test_few_questions_are_asked_at_once_and_not_all_may_wait(
    api: Api, reviewer: TokenReviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_review, "_MAX_WAITING", 40)
    api.go_on.clear()
    asking = [
        asyncio.create_task(reviewer.user(token([AUDIENCE], f"forged-{number}"), AUDIENCE)) for number in range(40)
    ]
    await patiently(api.is_full.wait())

    with pytest.raises(UnavailableError, match="too many"):
        await reviewer.user(GOOD, AUDIENCE)

    api.go_on.set()
    assert await asyncio.gather(*asking) == [None] * 40
    assert api.most_at_once == MOST
    assert await reviewer.user(GOOD, AUDIENCE) == User("sender")
