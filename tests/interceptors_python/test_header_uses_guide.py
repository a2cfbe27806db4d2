"""What the guide says that headers are for: its programs and its profiles do it, before librdkafka's mock cluster."""

from __future__ import annotations

import json
import re
import types
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import confluent_kafka
import pytest
import yaml

from kwitness.contracts.interceptor_settings import InterceptorSettings
from kwitness.contracts.resources.interceptor_entries import InterceptorEntry
from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness_interceptors.headers import SET_HEADER, HeaderReader, HeaderWriter, encode_set

from .confluent_samples import MOCK, mock_bootstrap, read_all, topic_name
from .injected import injected_folder, run_program
from .interceptor_events_server import InterceptorEventsServer
from tests.eventually import deliver
from tests.vectors import vectors

GUIDES = Path(__file__).resolve().parents[2] / "docs/guides"
GUIDE = (GUIDES / "header-uses.md").read_text()
ROUTING, CORRELATING = re.findall(r"^```python\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
PROFILES = {
    profile["metadata"]["name"]: InterceptorProfile.model_validate(profile)
    for profile in map(yaml.safe_load, re.findall(r"^```yaml\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE))
}
(CIPHERS, *_) = re.findall(r"^```python\n(.*?)^```", (GUIDES / "interceptors.md").read_text(), re.DOTALL | re.MULTILINE)
UNREADABLE = b"\x00\xff no schema \x80"

PRODUCING = """
import confluent_kafka, json, os
config = {"bootstrap.servers": "mock.invalid:1", "test.mock.num.brokers": 1, "log_level": 0, "client.id": "checkout"}
producer = confluent_kafka.Producer(config)
for value, headers in json.loads(os.environ["RECORDS"]):
    producer.produce("orders", value and value.encode(), key=b"anna", headers=headers)
assert producer.flush(20) == 0
(broker,) = producer.list_topics(timeout=10).brokers.values()
reader = confluent_kafka.Consumer({"bootstrap.servers": f"{broker.host}:{broker.port}", "group.id": "audit"})
reader.assign([confluent_kafka.TopicPartition("orders", number, 0) for number in range(4)])
found = []
while len(found) < len(json.loads(os.environ["RECORDS"])):
    message = reader.poll(10)
    if not message.error():
        value = message.value()
        found.append([None if value is None else value.hex(),
                      [[key, one.decode()] for key, one in message.headers() or []]])
print(json.dumps(found))
reader.close()
"""


def program_of(source: str) -> Any:
    module = types.ModuleType("program")
    exec(source, module.__dict__)  # noqa: S102 - the guide's own lines
    return module


def entry_of(entry: InterceptorEntry) -> dict[str, Any]:
    """An entry as the operator writes it for the interceptors of a pod."""
    found: dict[str, Any] = {"name": entry.name, "type": entry.type}
    if entry.custom is not None:
        found |= {"class_name": entry.custom.class_name, "settings": entry.custom.settings}
    if entry.stamp is not None:
        found["stamps"] = [{"key": one.key, "from": one.from_, "value": one.value} for one in entry.stamp.stamps]
    if entry.tracing is not None:
        found["header"] = entry.tracing.header
    return found


def stored(
    tmp_path: Path,
    name: str,
    records: list[tuple[str | None, Mapping[str, str]]],
    *folders: Path,
    url: str | None = None,
    rules: dict[str, Any] | None = None,
) -> list[tuple[bytes | None, dict[str, str]]]:
    """Value and headers of records that a program in a pod with this profile of the guide has sent."""
    token = tmp_path / "token"
    token.write_text("secret-token\n")
    settings = vectors("interceptor_settings", "valid")[1]["settings"] | {
        "suspend": False,
        "window_ms": 1_000,
        "interceptors": [entry_of(one) for one in PROFILES[name].spec.interceptors],
        "topics": [],
        "headers": rules,
        "collector": url and {"url": url, "replicas": 1, "ca_file": None, "token_file": str(token)},
    }
    InterceptorSettings.model_validate(settings)
    file = tmp_path / "interceptors.json"
    file.write_text(json.dumps(settings))
    variables = {
        "KWITNESS_INTERCEPTORS": str(file),
        "KWITNESS_POD_NAMESPACE": "shop",
        "KWITNESS_POD_NAME": "orders-1",
        "RECORDS": json.dumps(records),
    }
    ended = run_program(PRODUCING, injected_folder(tmp_path / "python"), *folders, environment=variables)
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    return [(None if value is None else bytes.fromhex(value), dict(headers)) for value, headers in found]


@pytest.fixture
def collector() -> Iterator[InterceptorEventsServer]:
    with InterceptorEventsServer() as server:
        yield server


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder of the application, with its class and its secrets."""
    (tmp_path / "application/shop").mkdir(parents=True)
    (tmp_path / "application/shop/secrets.py").write_text(CIPHERS)
    (tmp_path / "secrets").write_bytes(bytes(range(64)))
    return tmp_path / "application"


def test_records_go_to_the_cluster_that_their_header_names_and_nobody_decodes_them() -> None:
    # Given
    topic, target = topic_name(), topic_name()
    source, elsewhere = confluent_kafka.Producer(MOCK), confluent_kafka.Producer(MOCK)
    assert mock_bootstrap(source) != mock_bootstrap(elsewhere)
    for headers in ({"route.to": b"eu", "note": b"kept"}, {"route.to": b"nowhere"}, None):
        source.produce(topic, UNREADABLE, key=b"\xfe", headers=headers, partition=0)
    deliver(source)
    config = {"bootstrap.servers": mock_bootstrap(source), "group.id": topic}

    # When
    with closing(confluent_kafka.Consumer(config)) as consumer:
        consumer.assign([confluent_kafka.TopicPartition(topic, 0, 0)])
        nowhere = program_of(ROUTING).route(consumer, elsewhere, {b"eu": target})

    # Then
    [got] = read_all(mock_bootstrap(elsewhere), target, 1)
    assert (got.key(), got.value()) == (b"\xfe", UNREADABLE)
    assert got.headers() == [("route.to", b"eu"), ("note", b"kept")]
    assert nowhere == 2


@pytest.mark.slow
def test_an_encrypted_payload_has_its_origin_beside_it_and_a_deletion_stays_one(shop: Path, tmp_path: Path) -> None:
    profile = PROFILES["encrypted"].spec.interceptors[0].custom
    assert profile is not None
    profile.settings["kwitness.shop.secrets"] = str(tmp_path / "secrets")

    (sealed, origin), (deleted, of_deletion) = stored(
        tmp_path, "encrypted", [("an order", {}), (None, {})], shop.resolve()
    )

    assert sealed is not None
    assert b"an order" not in sealed
    assert deleted is None
    cluster = vectors("interceptor_settings", "valid")[1]["settings"]["cluster_id"]
    for headers in (origin, of_deletion):
        assert (headers["client.id"], headers["cluster.id"]) == ("checkout", cluster)
    ids = [uuid.UUID(headers["message.id"]) for headers in (origin, of_deletion)]
    assert {one.version for one in ids} == {7}
    assert ids[0] != ids[1]


@pytest.mark.slow
def test_a_monitor_gets_its_transaction_id_and_others_keep_theirs(tmp_path: Path) -> None:
    theirs = {"newrelic": "eyJ2IjpbMCwxXX0=", "x-datadog-trace-id": "1234", "elasticapmtraceparent": "00-ab"}

    [(_, headers)] = stored(tmp_path, "traced", [("an order", theirs)])

    trace = re.fullmatch(r"00-([0-9a-f]{32})-[0-9a-f]{16}-01", headers["traceparent"])
    assert trace is not None
    assert headers == theirs | {"traceparent": trace[0], "acme.trace.id": trace[1]}


@pytest.mark.parametrize("correlation", ["7e5d", None])
def test_a_correlation_id_goes_through_a_transformation(correlation: str | None) -> None:
    # Given
    program, producer, topic = program_of(CORRELATING), confluent_kafka.Producer(MOCK), topic_name()
    headers = HeaderWriter()
    if correlation is not None:
        headers.set(program.CORRELATION_ID, correlation)
    producer.produce(topic, b"2 apples", key=b"anna", headers=headers.headers)
    deliver(producer)
    [order] = read_all(mock_bootstrap(producer), topic, 1)

    # When
    program.enrich(order, producer, lambda value: b"for " + value)

    # Then
    deliver(producer)
    [invoice] = read_all(mock_bootstrap(producer), "invoices", 1)
    assert (invoice.key(), invoice.value()) == (b"anna", b"for 2 apples")
    assert HeaderReader(invoice.headers()).get(program.CORRELATION_ID) == correlation


@pytest.mark.slow
def test_messages_are_counted_by_who_is_charged(tmp_path: Path, collector: InterceptorEventsServer) -> None:
    [entry] = PROFILES["charged"].spec.interceptors
    assert entry.headers is not None
    key = {"name": "charge.tag", "type": "String", "id": 7, "required": True}
    rules = {"keys": [key], "values_of": list(entry.headers.values_of)}
    alone = [{"charge.tag": tag} for tag in ["team-a"] * 4 + ["team-b"] * 3]
    in_the_set = {SET_HEADER: encode_set({7: b"team-a"}).decode()}

    stored(
        tmp_path, "charged", [("an order", headers) for headers in [*alone, in_the_set]], url=collector.url, rules=rules
    )

    found: dict[str, int] = {}
    for row in collector.headers():
        if (row.key, row.side) == ("charge.tag", "producer"):
            assert row.missing == 0
            for one in row.values:
                found[one.value] = found.get(one.value, 0) + one.records
    assert found == {"team-a": 5, "team-b": 3}


def test_the_organisations_profile_is_for_namespaces_by_their_label() -> None:
    profile = PROFILES["organisation"]

    assert profile.spec.namespace_selector is not None
    assert [one.type for one in profile.spec.interceptors] == ["Audit", "Stamp"]
