from __future__ import annotations

import base64
import json
import socket
import struct
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from kwitness.contracts.audiences import driver_audience
from kwitness.contracts.job_config import RunConfig
from kwitness.jobs.driver import token_review
from kwitness.jobs.driver.health import Health, patience_seconds
from kwitness.jobs.driver.kubernetes_reviews import KubernetesReviews, ReviewUnavailableError
from kwitness.jobs.driver.status_server import StatusServer
from kwitness.jobs.driver.token_review import TokenReviewer, User
from kwitness.jobs.frame.ledger import Ledger
from kwitness.jobs.frame.offsets import DataLoss
from kwitness.jobs.frame.status import DriverStatus, Lag, LastRun, StatusBoard

AUDIENCE = driver_audience("team-a", "x")
STATUS = DriverStatus(
    phase="Running",
    application_id="spark-1",
    driver_pod="kwitness-job-x-0",
    last_run=LastRun(start_ms=1, rows=10, batches=2),
    lag=Lag(3, 99),
    ledger=Ledger().accept(12).settle(9, {"MalformedPayload": 2}),
    table_path="/t",
    table_version=7,
    data_loss=(DataLoss("t", 0, 5, 6, "Expired"),),
    data_loss_total=1,
)


def token_for(audience: str, signature: str = "signed") -> str:
    """A token as Kubernetes makes them, which says for whom it is."""
    parts = [{"alg": "RS256"}, {"aud": [audience], "sub": "system:serviceaccount:a:b"}]
    return ".".join(
        [*(base64.urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in parts), signature]
    )


GOOD = token_for(AUDIENCE)
USER = {"username": "reader", "uid": "1", "groups": ["readers"], "extra": {"pod": ["a"]}}
OTHER = token_for(driver_audience("team-a", "other"))
FORGED = token_for(AUDIENCE, "forged")


class _Api(BaseHTTPRequestHandler):
    """Stands for the API server's TokenReview: knows one token of our audience and one of another."""

    asked: list[dict[str, Any]] = []  # noqa: RUF012 - replaced by the fixture
    broken = False

    def do_POST(self) -> None:
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).asked.append({"authorization": self.headers["Authorization"], **review["spec"]})
        audiences = [AUDIENCE] if review["spec"]["token"] == GOOD else None
        status = {"authenticated": audiences is not None, "audiences": audiences or [], "user": USER}
        body = json.dumps({"status": status}).encode()
        self.send_response(403 if type(self).broken else 201)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def api() -> Iterator[ThreadingHTTPServer]:
    _Api.asked, _Api.broken = [], False
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Api)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def reviewer(api: ThreadingHTTPServer, tmp_path: Path) -> TokenReviewer:
    (tmp_path / "token").write_text("own\n")
    return TokenReviewer(KubernetesReviews(f"http://127.0.0.1:{api.server_port}", tmp_path), AUDIENCE)


@pytest.fixture
def server(reviewer: TokenReviewer) -> Iterator[StatusServer]:
    server = StatusServer(StatusBoard(STATUS), 0, reviewer)
    server.start()
    yield server
    server.stop()


def test_the_status_is_for_tokens_of_its_audience(server: StatusServer) -> None:
    code, status = _get(server, "/status", GOOD)

    assert code == 200
    assert status == {
        "phase": "Running",
        "application_id": "spark-1",
        "driver_pod": "kwitness-job-x-0",
        "last_run": {"start_ms": 1, "rows": 10, "batches": 2, "quarantined": 0},
        "lag": {"records": 3, "oldest_timestamp_ms": 99},
        "ledger": {"hop": "table", "accepted": 12, "delivered": 9, "queued": 1, "dropped": {"MalformedPayload": 2}},
        "table_path": "/t",
        "table_version": 7,
        "data_loss_total": 1,
        "data_loss": [{"topic": "t", "partition": 0, "first_offset": 5, "last_offset": 6, "reason": "Expired"}],
        "findings": [],
    }


@pytest.mark.parametrize("token", [None, "", OTHER, FORGED, "wrong", "x" * 20_000])
def test_anybody_else_gets_nothing(server: StatusServer, token: str | None) -> None:
    code, answer = _get(server, "/status", token)

    assert code == 401
    assert set(answer) == {"error"}


def test_health_is_open_and_other_paths_are_not_there(server: StatusServer) -> None:
    assert _get(server, "/healthz", None) == (200, {"alive": True})
    assert _get(server, "/", GOOD)[0] == 404


def test_a_driver_that_stands_still_while_records_wait_is_to_be_restarted(reviewer: TokenReviewer) -> None:
    now, board = [0.0], StatusBoard(DriverStatus(lag=Lag(5)))
    health = Health(board, patience_seconds(RunConfig(trigger_seconds=30.0)), clock=lambda: now[0])
    server = StatusServer(board, 0, reviewer, health.problem)
    server.start()
    answers = []

    for seconds, event in ((600, None), (1, None), (0, "batch 0"), (600, "batch 0"), (1, "batch 0"), (0, "batch 1")):
        now[0] += seconds
        health.heard(event)
        answers.append(_get(server, "/healthz", None)[0])
    now[0] += 1e6
    late = _get(server, "/healthz", None)
    board.change(lag=Lag(0))
    idle = _get(server, "/healthz", None)
    server.stop()

    assert answers == [200, 503, 200, 200, 503, 200]
    assert late[0] == 503
    assert "5 records wait" in late[1]["error"]["message"]
    assert idle[0] == 200


def test_patience_is_ten_triggers_or_ten_minutes() -> None:
    assert [patience_seconds(RunConfig(trigger_seconds=one)) for one in (1, 60, 3600)] == [600, 600, 36_000]


def test_who_goes_away_before_the_answer_leaves_no_trace_in_the_log(
    server: StatusServer, capfd: pytest.CaptureFixture[str]
) -> None:
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", server.port)) as hasty:
            hasty.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            hasty.sendall(b"GET /status HTTP/1.1\r\nAuthorization: Bearer good\r\n\r\n")

    assert _get(server, "/healthz", None)[0] == 200
    time.sleep(0.5)
    assert "Traceback" not in capfd.readouterr().err


def test_nothing_is_believed_while_nobody_can_be_asked(server: StatusServer) -> None:
    _Api.broken = True

    code, answer = _get(server, "/status", GOOD)

    assert code == 503
    assert "tokenreviews" in answer["error"]["message"]


def test_an_answer_is_believed_for_a_minute(api: ThreadingHTTPServer, tmp_path: Path) -> None:
    now = [1000.0]
    (tmp_path / "token").write_text("own")
    reviews = KubernetesReviews(f"http://127.0.0.1:{api.server_port}", tmp_path)
    reviewer = TokenReviewer(reviews, AUDIENCE, clock=lambda: now[0])

    assert reviewer.user(GOOD) == User("reader", "1", ("readers",), {"pod": ["a"]})
    now[0] += 59
    assert reviewer.user(GOOD)
    assert len(_Api.asked) == 1
    now[0] += 2
    assert reviewer.user(GOOD)
    assert len(_Api.asked) == 2
    assert _Api.asked[0] == {"authorization": "Bearer own", "token": GOOD, "audiences": [AUDIENCE]}


def test_only_who_says_to_be_meant_is_asked_about(reviewer: TokenReviewer) -> None:
    for token in ("random", OTHER, "a.b.c", "x.W10.y"):
        assert not reviewer.user(token)
    assert _Api.asked == []

    assert not reviewer.user(FORGED)
    assert [one["token"] for one in _Api.asked] == [FORGED]


def test_bad_tokens_push_out_no_good_one(reviewer: TokenReviewer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_review, "_REMEMBERED", 3)
    assert reviewer.user(GOOD)
    for number in range(10):
        assert not reviewer.user(token_for(AUDIENCE, f"forged-{number}"))

    assert reviewer.user(GOOD)

    assert [one["token"] for one in _Api.asked].count(GOOD) == 1


def test_a_failed_review_is_not_remembered(reviewer: TokenReviewer) -> None:
    _Api.broken = True
    with pytest.raises(ReviewUnavailableError):
        reviewer.user(GOOD)
    _Api.broken = False

    assert reviewer.user(GOOD)


def test_losses_are_kept_once_and_bounded() -> None:
    board = StatusBoard(DriverStatus())
    loss = DataLoss("t", 0, 1, 2, "Expired")

    board.add_losses([loss])
    board.add_losses([loss, *(DataLoss("t", 0, number, number, "Expired") for number in range(10, 400))])

    assert len(board.read().data_loss) == 256
    assert board.read().data_loss_total == 391
    assert board.read().data_loss[-1].first_offset == 399


def test_losses_that_are_found_again_count_once_also_where_they_are_not_listed_any_more() -> None:
    board = StatusBoard(DriverStatus())
    losses = [DataLoss("t", 0, number, number, "Expired") for number in range(400)]
    board.add_losses(losses)

    board.add_losses(losses)

    assert board.read().data_loss_total == 400
    assert {loss.first_offset for loss in board.read().data_loss} == {*range(144, 400)}


def _get(server: StatusServer, path: str, token: str | None) -> tuple[int, dict[str, Any]]:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - loopback
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
