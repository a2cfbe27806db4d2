"""The interceptors' door: the same as that of observers, with another first line."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kwitness.collector.ingest.authentication import SENDERS, Authenticator, Kind
from kwitness.collector.ingest.token_review import User
from kwitness.collector.sharding import owner_of
from kwitness.contracts.audiences import collector_audience
from kwitness.contracts.collector_config import CollectorConfig

from tests.collector.collector_process import (
    GATEWAY,
    INTERCEPTED_POD,
    INTERCEPTOR,
    SIDECAR,
    SIDECAR_SOURCE,
    CollectorProcess,
)
from tests.collector.collector_samples import CLUSTER
from tests.collector.event_samples import of_sidecar, request, row
from tests.collector.interceptor_samples import REPORTER, intercepted, interceptors_request
from tests.collector.replica_pair import port_pair
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]
EXAMPLE = Path(__file__).resolve().parents[2] / "contracts/vectors/interceptor_events_request.ndjson"
SENT = "kafka_client_interceptor_sent_records_total"
PATH = "/v1/interceptors/shop/front/directives"


def test_the_example_of_the_contract_is_taken_number_by_number(start: Start) -> None:
    collector = start()
    first, _, rows = EXAMPLE.read_bytes().partition(b"\n")
    body = json.dumps({**json.loads(first), "cluster_id": CLUSTER}).encode() + b"\n" + rows

    answer = collector.observe(body, token=INTERCEPTOR, compress=True)

    assert answer.status == 200
    assert (answer.body["accepted"], answer.body["rejected"]) == ("1-9", [])
    pod = {"k8s_namespace": "shop", "k8s_workload": "orders", "k8s_pod": INTERCEPTED_POD.partition("/")[2]}
    assert collector.value(SENT, **pod, topic="orders", client_id="orders") == 32
    assert collector.value("kafka_client_interceptor_hook_errors_total", interceptor="mask") == 2
    assert collector.value("kwitness_interceptor_reporters", namespace="shop", name="front", runtime="python") == 1
    assert collector.value("kwitness_interceptor_clients", side="consumer") == 1
    assert collector.value("kwitness_interceptor_clients_without", reason="share_group") == 1


def test_attributes_of_a_pod_are_labels_where_the_collector_names_them(start: Start) -> None:
    collector = start(config={"prometheus": {"interceptor_attributes": ["team", "stage"]}})
    own = {"team": "shop", "tier": "gold"}
    collector.observe(interceptors_request(totals=[intercepted(1)], attributes=own), token=INTERCEPTOR)

    (labels,) = map(dict, collector.scrape()[SENT])

    assert {name: text for name, text in labels.items() if name.startswith("attribute")} == {"attribute_team": "shop"}


def test_another_list_of_attributes_begins_the_series_again(start: Start) -> None:
    collector = start()
    body = partial(interceptors_request, attributes={"team": "shop"})
    collector.observe(body(totals=[intercepted(1)]), token=INTERCEPTOR)
    assert collector.value(SENT) == 10

    collector.write_config(prometheus={"interceptor_attributes": ["team"]})
    eventually(lambda: SENT not in collector.scrape())
    collector.observe(body(totals=[intercepted(2, 7)]), token=INTERCEPTOR)

    assert collector.value(SENT, attribute_team="shop") == 7


def test_what_comes_again_counts_once(start: Start) -> None:
    collector = start()
    body = interceptors_request(totals=[intercepted(1)])

    first, again = (collector.observe(body, token=INTERCEPTOR) for _ in range(2))

    assert (first.body["accepted"], again.body["duplicates"]) == ("1", "1")
    assert collector.value(SENT) == 10


def test_reporters_of_a_pod_have_numbers_of_their_own_and_share_series(start: Start) -> None:
    collector = start()
    for reporter in (REPORTER, "0" * 16):
        answer = collector.observe(interceptors_request(totals=[intercepted(1)], reporter=reporter), token=INTERCEPTOR)
        assert answer.body["accepted"] == "1"

    assert collector.value(SENT) == 20
    assert collector.value("kwitness_interceptor_reporters", runtime="java") == 2


def test_an_observer_and_interceptors_of_one_pod_have_numbers_of_their_own(start: Start) -> None:
    collector = start()
    observed = collector.observe(request([row(1)], **of_sidecar()), token=SIDECAR)
    own = {
        "workload": {"kind": "Deployment", "name": "app"},
        "source": f"{SIDECAR_SOURCE}/{REPORTER}",
        "profile": {"namespace": "stranger", "name": "front"},
    }
    reported = collector.observe(interceptors_request(totals=[intercepted(1)], **own), token=SIDECAR)

    assert (observed.body["accepted"], reported.body["accepted"]) == ("1", "1")


def test_rows_for_topics_of_observers_are_rejected_and_those_of_interceptors_for_observers(start: Start) -> None:
    collector = start()
    body = interceptors_request([row(1, "interceptions"), row(2, "seals"), row(3, "traffic"), row(4, "telemetry")])

    answer = collector.observe(body, token=INTERCEPTOR)
    observed = collector.observe(request([row(1, "interceptions")]))

    assert answer.body["accepted"] == "1-2"
    assert [(one["seq"], one["reason"]) for one in answer.body["rejected"]] == [
        (3, "UnknownTopic"),
        (4, "UnknownTopic"),
    ]
    assert [one["reason"] for one in observed.body["rejected"]] == ["UnknownTopic"]


def test_totals_with_other_bounds_are_rejected_alone(start: Start) -> None:
    collector = start()
    wrong = intercepted(1)
    wrong["sizes"][0]["counts"] = [1]

    answer = collector.observe(interceptors_request(totals=[wrong, intercepted(2)]), token=INTERCEPTOR)

    assert answer.body["accepted"] == "2"
    assert [(one["seq"], one["reason"]) for one in answer.body["rejected"]] == [(1, "UnknownBounds")]


@pytest.mark.parametrize(
    ("token", "more", "reason"),
    [
        (INTERCEPTOR, {"source": f"shop/another/{REPORTER}"}, "WrongSource"),
        (INTERCEPTOR, {"source": f"{INTERCEPTED_POD}/{'0' * 16}"}, "WrongSource"),
        (INTERCEPTOR, {"source": INTERCEPTED_POD}, "WrongSource"),
        (INTERCEPTOR, {"cluster_id": "another"}, "WrongCluster"),
        (SIDECAR, {}, "WrongSource"),
        (GATEWAY, {"source": f"shop/kwitness-gateway-front-0/{REPORTER}"}, "WrongReporter"),
    ],
)
def test_a_reporter_speaks_for_its_pod_alone(start: Start, token: str, more: dict[str, Any], reason: str) -> None:
    answer = start().observe(interceptors_request(**more), token=token)

    assert (answer.status, answer.body["error"]["reason"]) == (403, reason)


def test_a_sender_of_interceptors_may_not_send_what_observers_do(start: Start) -> None:
    body = request(**{**of_sidecar(), "source": INTERCEPTED_POD})

    answer = start().observe(body, token=INTERCEPTOR)

    assert (answer.status, answer.body["error"]["reason"]) == (403, "WrongSource")


def test_interceptors_hear_directives_of_their_profile_until_they_obey(start: Start) -> None:
    collector = start()
    told = {"settings": "new", "suspend": True}
    assert collector.direct(PATH, told).status == 200

    def heard(**state: Any) -> Any:
        return collector.observe(interceptors_request(state=state), token=INTERCEPTOR).body["directives"]

    assert heard(settings="old") == told
    assert heard(settings="new", suspended=True) == {}
    assert heard(settings="old") == told


def test_directives_of_an_observer_deployment_of_the_same_name_are_not_those_of_a_profile(start: Start) -> None:
    collector = start()
    collector.direct("/v1/observers/shop/front/directives", {"settings": "new", "suspend": True})

    assert collector.observe(interceptors_request(), token=INTERCEPTOR).body["directives"] == {}


def test_a_workload_that_the_pod_does_not_bear_out_is_left_out(start: Start) -> None:
    collector = start()
    workload = {"kind": "Deployment", "name": "payments"}
    collector.observe(interceptors_request(totals=[intercepted(1)], workload=workload), token=INTERCEPTOR)

    assert collector.value(SENT, k8s_workload="payments") is None
    assert collector.value(SENT, k8s_namespace="shop") == 10


def test_whichever_replica_is_asked_the_owner_of_the_pod_answers_and_knows_what_may_be_sent(start: Start) -> None:
    tens = port_pair()
    peers = f"http://127.0.0.1:{tens}{{ordinal}}"
    pair = [start(ordinal=number, port=tens * 10 + number, config={"replicas": 2}, peers=peers) for number in range(2)]
    owner = owner_of(INTERCEPTED_POD, 2)
    other = pair[1 - owner]

    answer = other.observe(interceptors_request(totals=[intercepted(1)]), token=INTERCEPTOR)
    refused = other.observe(request(**{**of_sidecar(), "source": INTERCEPTED_POD}), token=INTERCEPTOR)

    assert (answer.status, answer.body["replica"], answer.body["accepted"]) == (200, owner, "1")
    assert (refused.status, refused.body["error"]["reason"]) == (403, "WrongSource")


class Vouching:
    """The API server's answer for a token of this collector's audience."""

    async def user(self, token: str, audience: str, peer: str) -> User | None:  # noqa: ARG002
        known = (token, audience) == ("token", collector_audience("kwitness", "main"))
        return User("system:serviceaccount:shop:app", "app-1") if known else None


ANY_OBSERVER = {"namespace": "shop", "service_account": "*", "source": "observer"}
ANY_INTERCEPTOR = {"namespace": "shop", "service_account": "*", "source": "interceptor"}
OWN_INTERCEPTOR = {**ANY_INTERCEPTOR, "service_account": "app"}
REPLICA_OF_OURS = {"namespace": "shop", "service_account": "app", "source": "collector"}


@pytest.mark.parametrize(
    ("senders", "kind", "pod"),
    [
        ([ANY_INTERCEPTOR], "interceptor", "shop/app-1"),
        ([OWN_INTERCEPTOR], "interceptor", "shop/app-1"),
        ([OWN_INTERCEPTOR, ANY_OBSERVER], "observer", "shop/app-1"),
        ([ANY_INTERCEPTOR, ANY_OBSERVER], "observer", "shop/app-1"),
        ([ANY_OBSERVER, ANY_INTERCEPTOR, REPLICA_OF_OURS], "collector", None),
    ],
)
async def test_an_account_of_both_kinds_is_an_observers_and_a_replica_stays_one(
    senders: list[dict[str, str]], kind: Kind, pod: str | None
) -> None:
    config = CollectorConfig.model_validate(
        {
            "cluster_id": CLUSTER,
            "namespace": "kwitness",
            "name": "main",
            "kafka": {"bootstrap_servers": ["127.0.0.1:1"]},
            "ingest": {"senders": senders},
        }
    )
    kinds: tuple[Kind, ...] = ("observer", "interceptor", "collector")

    caller = await Authenticator(config, Vouching()).caller("Bearer token", (SENDERS,), kinds)

    assert (caller.kind, caller.pod) == (kind, pod)
