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
        self.status, self.good = 201, {GOOD}
        self.go_on, self.is_full, self.came_twice = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.go_on.set()

    async def review(self, request: web.Request) -> web.Response:
        """Answer that the one good token is good."""
        token = (await request.json())["spec"]["token"]
        self.asked.append(token)
        if self.asked.count(GOOD) > 1:
            self.came_twice.set()
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        if self.at_once == MOST:
            self.is_full.set()
        await self.go_on.wait()
        self.at_once -= 1
        good = token in self.good
        status = {"authenticated": good, "audiences": [AUDIENCE] if good else [], "user": {"username": "sender"}}
        return web.json_response({"status": status}, status=self.status)


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
    asking = [ask(reviewer, f"forged-{number}", f"10.0.0.{number}") for number in range(40)]
    await patiently(api.is_full.wait())

    with pytest.raises(UnavailableError, match="too many"):
        await reviewer.user(GOOD, AUDIENCE)

    api.go_on.set()
    assert await asyncio.gather(*asking) == [None] * 40
    assert api.most_at_once == MOST
    assert await reviewer.user(GOOD, AUDIENCE) == User("sender")


def ask(reviewer: TokenReviewer, signature: str, peer: str) -> asyncio.Task[User | None]:
    return asyncio.create_task(reviewer.user(token([AUDIENCE], signature), AUDIENCE, peer))


async def test_one_address_leaves_room_for_the_questions_of_others(api: Api, reviewer: TokenReviewer) -> None:
    api.go_on.clear()
    asking = [ask(reviewer, f"forged-{number}", "10.0.0.1") for number in range(200)]
    await patiently(api.is_full.wait())

    other = asyncio.create_task(reviewer.user(GOOD, AUDIENCE, "10.0.0.2"))
    api.go_on.set()

    assert await other == User("sender")
    answers = await asyncio.gather(*asking, return_exceptions=True)
    assert sum(isinstance(answer, UnavailableError) for answer in answers) == 200 - token_review._MAX_WAITING_OF_PEER
    assert not reviewer._waiting_of


async def test_invented_tokens_shut_out_no_sender_that_is_known(
    api: Api, reviewer: TokenReviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_review, "_MAX_WAITING", 40)
    monkeypatch.setattr(token_review, "ACCEPTED_S", 0.0)
    assert await reviewer.user(GOOD, AUDIENCE) == User("sender")
    api.go_on.clear()
    asking = [ask(reviewer, f"forged-{number}", f"10.0.0.{number}") for number in range(40)]
    await patiently(api.is_full.wait())

    again = asyncio.create_task(reviewer.user(GOOD, AUDIENCE))
    await patiently(api.came_twice.wait())
    api.go_on.set()

    assert await again == User("sender")
    await asyncio.gather(*asking)


async def test_a_good_answer_is_renewed_before_it_ends_and_nobody_waits_for_that(
    api: Api, reviewer: TokenReviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_review, "ACCEPTED_S", 10.0)  # within the time in which it is renewed
    assert await reviewer.user(GOOD, AUDIENCE) == User("sender")
    api.go_on.clear()

    assert [await reviewer.user(GOOD, AUDIENCE) for _ in range(5)] == [User("sender")] * 5

    await patiently(api.came_twice.wait())
    api.go_on.set()
    assert api.asked.count(GOOD) == 2


async def test_a_good_answer_is_used_on_while_the_api_server_fails_and_ends_when_it_refuses(
    api: Api, reviewer: TokenReviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_review, "ACCEPTED_S", 0.0)
    assert await reviewer.user(GOOD, AUDIENCE) == User("sender")
    api.status = 500
    assert await reviewer.user(GOOD, AUDIENCE) == User("sender")

    monkeypatch.setattr(token_review, "_STALE_S", 0.0)
    with pytest.raises(UnavailableError):
        await reviewer.user(GOOD, AUDIENCE)

    monkeypatch.setattr(token_review, "_STALE_S", 300.0)
    api.status, api.good = 201, set()
    assert await reviewer.user(GOOD, AUDIENCE) is None
