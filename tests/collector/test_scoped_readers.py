"""Readers with a scope find nothing of others in any answer of any path, at whichever replica they ask."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import pytest

from kwitness.collector.inventory.client_record import ClientRecord
from kwitness.contracts.endpoints import CLUSTER_PATH
from kwitness.contracts.generate.http_api import OPERATIONS
from kwitness.contracts.nouns import GROUPS, NOUNS, TRAFFIC
from kwitness.contracts.questions import Noun

from tests.collector.collector_process import REPLICA, CollectorProcess
from tests.collector.collector_samples import CLUSTER, gauges, push
from tests.collector.conftest import Start
from tests.collector.event_samples import request as events
from tests.collector.replica_pair import port_pair
from tests.collector.scoped_tenants import INSTANCES, Tenant, introduce
from tests.collector.test_observers_pushes import of_observer
from tests.collector.window_samples import NOW, end_before_now, produced, window
from tests.eventually import eventually

SHOP, BANK = Tenant("shop"), Tenant("bank")
PATHS = sorted(
    {operation.path for operation in OPERATIONS if operation.method == "get" and "inventory" in operation.audience}
)
REFUSED = {CLUSTER_PATH}
"""Paths that answer no reader with a scope."""
TIMES = {"listed_at_ms", "since"}
"""Fields that are others in each answer."""


def questions_of(noun: Noun) -> Iterator[dict[str, str]]:
    yield from ({name: "*"} for name in noun.filters)
    yield from ({name: f"{name_of}*"} for name in noun.filters for name_of in ("bank", "User:bank"))
    yield from ({"order": f"-{name}", "limit": "2"} for name in noun.orders)
    if noun not in {TRAFFIC, GROUPS}:
        yield from ({"order": name, "limit": "1"} for name in noun.orders)
    if noun.lists_changes:
        yield from ({"since": ""}, {"since": "", "limit": "1"}, {"since": "", "owner": "bank*"})
    yield from ({"limit": "1"}, {"local": "true"}, {"continue": "bank"})


def walk() -> Iterator[str]:
    """Yield questions about all paths that readers have, and about clients by their names."""
    nouns = {noun.path: noun for noun in NOUNS}
    for path in PATHS:
        if "{client_instance_id}" in path:
            yield from (path.format(client_instance_id=name) for name in (*SHOP.instances, *BANK.instances))
        elif "{" in path:
            for name in (SHOP.subscription()["id"], BANK.subscription()["id"]):
                yield path.format(id=name, cluster_id=CLUSTER)
        else:
            yield path
            yield f"{path}?ours=true"
            for parameters in questions_of(nouns[path]) if path in nouns else ():
                yield f"{path}?{urlencode(parameters)}"


def without_times(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: without_times(value) for name, value in found.items() if name not in TIMES}
    return [without_times(value) for value in found] if isinstance(found, list) else found


def answers(collector: CollectorProcess, token: str) -> dict[str, Any]:
    """Ask all questions, each with its next pages; bodies by question."""
    found = {}
    for question in walk():
        after, page = "", 0
        while page < 60:
            more = f"{'&' if '?' in question else '?'}{after}" if after else ""
            answer = collector.get(f"{question}{more}", token=token)
            assert answer.status in {200, 400, 403, 404}, (question, answer.body)
            found[f"{question} {page}"] = without_times(answer.body)
            token_after = answer.body.get("continue") if answer.status == 200 else None
            if not token_after:
                break
            after, page = f"continue={quote(token_after, safe='')}", page + 1
        assert page < 60
    return found


def names_in(found: Any) -> str:
    """Return an answer as text, without what is repeated of the question."""
    is_refusal = isinstance(found, dict) and "error" in found
    return "" if is_refusal and found["error"]["reason"].startswith("Bad") else json.dumps(found)


class Tenants(NamedTuple):
    """Two replicas with clients of two tenants, and what the first of these read while the other had none."""

    replicas: list[CollectorProcess]
    alone: dict[str, Any]


@pytest.fixture(scope="module")
def tenants(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenants]:
    tens, folder = port_pair(), tmp_path_factory.mktemp("scoped")
    peers = f"http://127.0.0.1:{tens}{{ordinal}}"
    replicas = [
        CollectorProcess(
            folder / str(ordinal), ordinal=ordinal, port=tens * 10 + ordinal, config={"replicas": 2}, peers=peers
        ).start()
        for ordinal in range(2)
    ]
    introduce(replicas, (SHOP, BANK))
    replicas[0].post("/v1/gauges", gauges({("sarama", "1"): 3}, asking=["nobody-1"]))
    SHOP.send(replicas[0], victim="bank")
    alone = eventually(lambda: answers(replicas[0], SHOP.reader), of_both)
    replicas[0].post("/v1/gauges", gauges({("sarama", "1"): 8}, asking=["bank-1", "bank-2"], seq=2))
    BANK.send(replicas[1], victim="shop")
    yield Tenants(replicas, alone)
    for process in replicas:
        process.kill()


@pytest.fixture
def replicas(tenants: Tenants) -> list[CollectorProcess]:
    """The replicas, with lists of connections that are of now."""
    for collector in tenants.replicas:
        collector.get("/v1/connections")
    for tenant in (SHOP, BANK):
        tenant.list_connections(tenants.replicas[0])
    return tenants.replicas


def of_both(found: Mapping[str, Any]) -> bool:
    """Return whether both replicas answered each question."""
    return all(answer.get("missing", []) == [] for question, answer in found.items() if "local=" not in question)


def test_two_readers_of_a_namespace_each_find_nothing_of_the_other_in_any_answer(
    tenants: Tenants, replicas: Sequence[CollectorProcess]
) -> None:
    for collector in replicas:
        together = eventually(lambda collector=collector: answers(collector, SHOP.reader), of_both)  # type: ignore[misc]
        if collector is replicas[0]:  # numbers, order and pages do not depend on what others do
            assert together == tenants.alone
        for question, found in together.items():
            assert "bank" not in names_in(found), question
        for question, found in answers(collector, BANK.reader).items():
            assert "shop" not in names_in(found), question


@pytest.mark.parametrize("path", PATHS)
def test_a_path_that_is_not_decided_is_refused(replicas: Sequence[CollectorProcess], path: str) -> None:
    places = {"client_instance_id": "shop-pod-0", "id": SHOP.subscription()["id"], "cluster_id": CLUSTER}
    question = path.format(**places)

    answer = replicas[0].get(question, token=SHOP.reader)

    if path in REFUSED:
        assert (answer.status, answer.body["error"]["reason"]) == (403, "ScopedReader")
        assert "spec.ingest.readers" in answer.body["error"]["message"]
    else:
        assert answer.status in {200, 404}
        assert answer.status == 404 or answer.body["scope"] == {"namespaces": ["shop"], "owners": []}
    assert "scope" not in replicas[0].get(question).body


def test_a_reader_sees_all_that_is_of_its_namespace(replicas: Sequence[CollectorProcess]) -> None:
    def seen(path: str, field: str) -> set[str]:
        body = replicas[1].get(path, token=SHOP.reader).body
        return {item.get(field) for item in body["items"]}

    assert seen("/v1/clients", "client_instance_id") == {f"shop-pod-{number}" for number in range(INSTANCES)}
    assert seen("/v1/connections", "client_id") == {SHOP.in_pod["client_id"]}
    assert seen("/v1/traffic", "topic") == {"shop-topic", "shared-topic", None}
    assert seen("/v1/traffic", "k8s_namespace") == {"shop"}
    assert seen("/v1/groups", "group_id") == {"shop-group-sidecar"}
    assert seen("/v1/subscriptions", "id") == {SHOP.subscription()["id"]}
    observers = replicas[1].get("/v1/connections", token=SHOP.reader).body["observers"]
    assert [observer["observer_pod"] for observer in observers] == [SHOP.pod]
    assert (
        replicas[1].get("/v1/clients/shop-pod-1/metrics", token=SHOP.reader).body["client"]["principal"] == "User:shop"
    )


def test_a_reader_sees_what_is_counted_of_its_clients_alone(replicas: Sequence[CollectorProcess]) -> None:
    def counted(token: str | None = None, **filters: str) -> dict[str, set[str]]:
        question = urlencode({"client_id": "*", **filters})
        body = replicas[1].get(f"/v1/connections?{question}", **({"token": token} if token else {})).body
        found: dict[str, set[str]] = {}
        for value in body["counted"]:
            found.setdefault(value["name"].removeprefix("kafka_client_"), set()).add(value["labels"]["client_id"])
        return found

    inside, outside = SHOP.in_pod["client_id"], SHOP.outside["client_id"]
    assert counted(SHOP.reader)["connection_ends_total"] == {inside}
    assert counted(SHOP.reader)["interceptor_queued_records"] == {inside}
    assert counted(SHOP.owner) == {"connection_ends_total": {outside}}
    assert counted(owner=f"{SHOP.name} team*") == {"connection_ends_total": {outside}}
    assert counted()["interceptor_queued_records"] == {inside, BANK.in_pod["client_id"]}
    assert "counted" not in replicas[1].get("/v1/connections", token=SHOP.reader).body


def test_a_reader_of_an_owner_sees_its_clients_and_who_uses_its_topics(replicas: Sequence[CollectorProcess]) -> None:
    guest = {**BANK.in_pod, "client_id": "bank-guest"}
    counted = window(9, end_before_now(), traffic=[produced("shop-topic", **guest), produced("bank-topic", **guest)])
    sidecar = {
        "source": BANK.pod,
        "observer": {"namespace": "bank", "name": "b", "mode": "sidecar"},
        "reported_by": "pod",
    }
    assert replicas[0].observe(events(totals=[counted], **sidecar), token="bank-sidecar").body["accepted"] == "9"

    clients = replicas[0].get("/v1/clients", token=SHOP.owner).body
    traffic = replicas[1].get("/v1/traffic", token=SHOP.owner).body["items"]
    silent = replicas[1].get("/v1/silent", token=SHOP.owner).body["items"]

    assert {item["client_instance_id"] for item in clients["items"]} >= {f"shop-outside-{n}" for n in range(INSTANCES)}
    assert all(item["owner"]["team"] == SHOP.team for item in clients["items"])
    assert ("bank-guest", "shop-topic") in {(item["client_id"], item.get("topic")) for item in traffic}
    assert "bank-topic" not in json.dumps(traffic)
    assert {item["reason"] for item in silent if item.get("client_instance_id") == "shop-outside-0"} == {"Malformed"}
    groups = replicas[0].get("/v1/groups", token=SHOP.owner).body["items"]
    assert {(item["group_id"], item["topic"]) for item in groups} >= {("shop-group-gateway", "shop-topic")}
    assert {item["topic"] for item in groups} == {"shop-topic"}


def test_a_namespace_that_a_client_only_claims_is_no_ones(replicas: Sequence[CollectorProcess]) -> None:
    everything = replicas[0].get("/v1/clients", params={"k8s_namespace": "shop", "limit": "1000"}).body["items"]
    seen = replicas[0].get("/v1/clients", params={"limit": "1000"}, token=SHOP.reader).body["items"]

    assert "bank-forger" in {item["client_id"] for item in everything}
    assert "bank-forger" not in {item["client_id"] for item in seen}
    assert [item["key"] for item in everything if item.get("k8s_namespace_proven")] == [item["key"] for item in seen]


def test_a_namespace_that_was_treated_is_not_shown_as_proven() -> None:
    record = ClientRecord({"client_id": "a", "k8s_namespace": "shop"}, NOW)
    shown = [record.shows_proven_namespace]
    record.is_namespace_proven = True
    shown.append(record.shows_proven_namespace)
    record.treated = frozenset({"k8s_namespace"})
    shown.append(record.shows_proven_namespace)

    assert shown == [False, True, False]


def test_a_replica_that_is_away_is_missing_and_nothing_of_others_is_shown_for_it(start: Start) -> None:
    tens = port_pair()
    peers = f"http://127.0.0.1:{tens}{{ordinal}}"
    pair = [start(ordinal=n, port=tens * 10 + n, config={"replicas": 2}, peers=peers) for n in range(2)]
    introduce(pair, (SHOP, BANK))
    for tenant, victim in ((SHOP, "bank"), (BANK, "shop")):
        tenant.send(pair[0], victim)
    whole = pair[0].get("/v1/clients", token=SHOP.reader).body

    pair[1].kill()
    found = {path: pair[0].get(path, token=SHOP.reader) for path in PATHS if "{" not in path}
    of_unknown = pair[0].get("/v1/clients/bank-pod-0/metrics", token=SHOP.reader)

    assert (whole["missing"], whole["matched"]) == ([], INSTANCES)
    for path, answer in found.items():
        assert (answer.status, answer.body["missing"]) == (200, [1]), path
        assert "bank" not in json.dumps(answer.body), path
    assert found["/v1/clients"].body["matched"] == len(found["/v1/clients"].body["items"]) < INSTANCES
    assert (of_unknown.status, of_unknown.body["error"]["reason"]) == (503, "Partial")


def test_only_replicas_ask_for_the_part_of_a_scope_and_without_entries_it_is_empty(
    replicas: Sequence[CollectorProcess],
) -> None:
    question = "/v1/clients?local=scoped"

    for token in (SHOP.reader, "reader-token", "operator-token", "plugin-token"):
        assert replicas[0].get(question, token=token).status == 403
    without = replicas[0].get(question, token=REPLICA)
    bad = replicas[0].get(question, token=REPLICA, headers={"Kwitness-Scope": "everything=*"})
    widened = replicas[0].get("/v1/clients", token=SHOP.reader, headers={"Kwitness-Scope": "namespace=*"})

    assert (without.status, without.body["items"], without.body["matched"]) == (200, [], 0)
    assert (bad.status, bad.body["error"]["reason"]) == (400, "BadScope")
    assert widened.body["scope"] == {"namespaces": ["shop"], "owners": []}


@pytest.mark.parametrize(
    "entries", ["namespace=", "namespace=Shop", "team=shop", "owner", "namespace=shop owner=%ff", "everything"]
)
def test_a_token_whose_scope_is_none_opens_nothing(shared: CollectorProcess, entries: str) -> None:
    token = f"token-{quote(entries)}"
    with shared.tokens.open("a") as file:
        file.write(f"{token} reader {CLUSTER} {entries}\nlast-{token} reader {CLUSTER}\n")
    eventually(lambda: shared.get("/v1/clients", token=f"last-{token}").status, lambda status: status == 200)

    assert shared.get("/v1/clients", token=token).status == 401


def test_a_scope_of_every_size_reaches_the_other_replica(replicas: Sequence[CollectorProcess]) -> None:
    team = "漢" * 128
    scope = [f"owner={quote(f'{number:02}{team[2:]}*')}" for number in range(32)]
    scope += [f"namespace={'n' * 60}{number:02}*" for number in range(31)]
    for replica in replicas:
        with replica.tokens.open("a") as file:
            file.write(f"wide reader {CLUSTER} {' '.join(scope)} namespace=shop\n")
        eventually(lambda replica=replica: replica.get("/v1/clients", token="wide").status, lambda code: code == 200)  # type: ignore[misc]

    answer = replicas[0].get("/v1/clients", token="wide").body

    assert (answer["missing"], answer["matched"]) == ([], INSTANCES)


def test_sidecars_of_a_namespace_do_not_see_by_what_they_claim(replicas: Sequence[CollectorProcess]) -> None:
    forged = [push(40, client="shop-pod-9", client_id="x", principal="User:bank-outside", k8s_namespace="bank")]
    assert replicas[0].deliver(of_observer(SHOP.pod, "pod", forged), token="shop-sidecar").status == 200

    items = replicas[0].get("/v1/clients", token=SHOP.reader).body["items"]

    assert {item["k8s_namespace"] for item in items} == {"shop"}
