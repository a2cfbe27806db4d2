"""Checks requests of observers that reach one replica and belong to the other."""

from __future__ import annotations

from kwitness.collector.sharding import owner_of

from tests.collector.collector_process import GATEWAY, GATEWAY_SOURCE, REPLICA, CollectorProcess
from tests.collector.collector_samples import CLUSTER
from tests.collector.event_samples import connections, request, row, totals
from tests.eventually import eventually


def source_of(ordinal: int) -> str:
    """Return a pod that the replica owns."""
    return next(pod for number in range(100) if owner_of(pod := f"shop/app-{number}", 2) == ordinal)


def test_an_observers_request_reaches_the_owner_of_its_source_whoever_received_it(
    pair: list[CollectorProcess],
) -> None:
    for replica in pair:
        with replica.tokens.open("a") as file:
            file.writelines(f"observer-{own} observer {CLUSTER} pod {source_of(own)}\n" for own in range(2))
        eventually(
            lambda replica=replica: replica.observe(b"", token="observer-0").status,  # type: ignore[misc]
            lambda status: status != 401,
        )
    body = {
        own: request([row(1)], totals=[totals(2)], source=source_of(own), reported_by="pod", connections=connections(1))
        for own in range(2)
    }

    answers = [pair[0].observe(body[own], token=f"observer-{own}", compress=True) for own in range(2)]
    again = [pair[1].observe(body[own], token=f"observer-{own}") for own in range(2)]

    assert [(one.status, one.body["accepted"], one.body["replica"]) for one in answers] == [
        (200, "1-2", 0),
        (200, "1-2", 1),
    ]
    assert [one.body["duplicates"] for one in again] == ["1-2", "1-2"]
    for own, replica in enumerate(pair):
        assert replica.value("kafka_client_records_total") == 10
        assert replica.value("kwitness_observer_heartbeat_seconds", pod=source_of(own).partition("/")[2]) is not None
    for replica in pair:
        cluster = replica.get(f"/v1/clusters/{CLUSTER}").body
        assert {one["pod"] for one in cluster["observers"]} == {source_of(own).partition("/")[2] for own in range(2)}
        assert [one["connections"] for one in cluster["software"]] == [2]


def test_what_the_owner_refuses_is_refused_by_the_replica_that_passed_it_on(pair: list[CollectorProcess]) -> None:
    other = 1 - owner_of(GATEWAY_SOURCE, 2)

    answer = pair[other].observe(request(source="shop/another"))

    assert (answer.status, answer.body["error"]["reason"]) == (403, "WrongSource")


def test_a_replica_that_is_not_the_owner_says_so_where_the_sender_takes_it_for_the_owner(
    pair: list[CollectorProcess],
) -> None:
    other = 1 - owner_of(GATEWAY_SOURCE, 2)
    passed_on = {
        "Kwitness-Forwarded": "1",
        "Kwitness-Pod": GATEWAY_SOURCE,
        "Kwitness-Cluster": CLUSTER,
        "Kwitness-Reported-By": "gateway",
    }

    for token, headers in ((GATEWAY, {"Kwitness-Owner": str(other)}), (REPLICA, passed_on)):
        answer = pair[other].observe(request(totals=[totals(1)]), token=token, headers=headers)
        assert (answer.status, answer.body["error"]["reason"]) == (421, "NotTheOwner")

    assert pair[1 - other].observe(request(totals=[totals(1)])).body["accepted"] == "1"


def test_while_the_owner_is_away_an_observer_is_told_to_wait(pair: list[CollectorProcess]) -> None:
    owner = owner_of(GATEWAY_SOURCE, 2)
    pair[owner].kill()

    answer = pair[1 - owner].observe(request(totals=[totals(1)]))

    assert (answer.status, answer.body["error"]["reason"]) == (503, "PeerUnavailable")
    assert int(answer.headers["Retry-After"]) > 0
