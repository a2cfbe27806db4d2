"""Who pushed, as everybody outside is told it."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

from kwitness.collector.events import Event
from kwitness.collector.inventory.client_record import ClientRecord
from kwitness.collector.inventory.matched import SubscriptionMatcher
from kwitness.collector.privacy.identities import IdentityTreater
from kwitness.collector.privacy.privacy import Privacy
from kwitness.contracts.collector_config import CollectorConfig
from kwitness.contracts.envelopes import GaugeSnapshot, OpenConnection
from kwitness.contracts.envelopes.gauges import InstanceSensors, TelemetrySensors
from kwitness.contracts.identity_hashing import identity_hash
from kwitness.contracts.kafka_connection import KafkaConnection
from kwitness.subscriptions.broker_subscription import BrokerSubscription

from tests.vectors import vectors

KEY = b"a key of thirty-two bytes or so."
RAW = {"cluster_id": "one", "principal": "User:alice", "client_id": "orders", "client_instance_id": "uuid-1"}


def test_a_hash_is_that_of_the_vectors_and_of_the_standard_library() -> None:
    for one in vectors("identity_hashes", "hashes"):
        key, text = one["key"].encode(), f"{one['field']}\0{one['value'][:32_767]}".encode()
        assert one["hash"] == f"hash-{hmac.new(key, text, hashlib.sha256).hexdigest()[:32]}"
        assert identity_hash(key, one["field"], one["value"]) == one["hash"]
    for hashed in vectors("identity_hashes", "stays"):
        assert identity_hash(KEY, "client_id", hashed) == hashed


def test_fields_with_the_same_value_have_different_hashes() -> None:
    assert identity_hash(KEY, "client_id", "orders") != identity_hash(KEY, "group_id", "orders")
    assert identity_hash(KEY, "client_id", "orders") != identity_hash(KEY + b"2", "client_id", "orders")


def test_each_key_is_kept_hashed_or_dropped() -> None:
    treater = IdentityTreater({"principal": "drop", "client_id": "hash", "group_id": "hash"}, KEY)

    told = treater.identity(RAW)

    assert told == {
        "cluster_id": "one",
        "client_id": identity_hash(KEY, "client_id", "orders"),
        "client_instance_id": "uuid-1",
    }
    assert treater.instance(RAW) == "uuid-1"


def test_an_instance_id_that_is_dropped_still_tells_instances_apart() -> None:
    treater = IdentityTreater({"client_instance_id": "drop"}, KEY)
    other = {**RAW, "client_instance_id": "uuid-2"}

    assert "client_instance_id" not in treater.identity(RAW)
    assert treater.instance(RAW) != treater.instance(other)
    assert treater.instance(RAW) == IdentityTreater({"client_instance_id": "drop"}, KEY).instance(RAW)
    assert treater.asking("uuid-1") == treater.instance(RAW)
    # Nor is it the hash that tables with Hash have.
    assert identity_hash(KEY, "client_instance_id", "uuid-1")[5:21] not in treater.instance(RAW)


def test_an_instance_that_is_made_of_an_identity_cannot_be_made_from_guesses_of_it() -> None:
    raw = {"cluster_id": "one", "client_id": "orders"}
    treater = IdentityTreater({"client_id": "hash"}, KEY)

    assert treater.instance(raw) != Event("s", 1, 1, 1, raw, b"").instance
    assert treater.instance(raw) != Event("s", 1, 1, 1, treater.identity(raw), b"").instance


def test_what_subscriptions_match_is_unknown_after_a_restart_where_it_hangs_on_what_was_treated() -> None:
    def subscription(**match: str) -> BrokerSubscription:
        return BrokerSubscription(id="s", match=tuple(match.items()))

    by_id, by_software = subscription(client_id="or.*"), subscription(client_software_name="lib.*")
    of_another = subscription(client_id="or.*", client_software_name="apache.*")
    by_address = subscription(client_source_address="10.*")
    only_java = subscription(client_software_name="(?<=x)lib.*")
    matcher = SubscriptionMatcher((by_id, by_software, of_another, by_address, only_java))
    record = ClientRecord({"client_id": "hash-1", "client_software_name": "librdkafka"}, 0)
    record.treated = frozenset({"client_id", "client_address"})

    assert (matcher.mask(record), matcher.unknown(record)) == (0b00010, 0b01001)

    record.raw = {"client_id": "orders", "client_software_name": "librdkafka", "client_address": "10.0.0.1"}
    record.matched = None
    assert (matcher.mask(record), matcher.unknown(record)) == (0b01011, 0)


def privacy(folder: Path, **identity: str) -> Privacy:
    (folder / "key").write_bytes(KEY)
    return Privacy(
        CollectorConfig.model_validate(
            {
                "cluster_id": "one",
                "namespace": "kwitness",
                "name": "main",
                "kafka": KafkaConnection(bootstrap_servers=("kafka:9092",)),
                "identity": identity,
                "identity_key_file": str(folder / "key"),
            }
        )
    )


def test_a_heartbeat_names_instances_as_their_pushes_do(tmp_path: Path) -> None:
    treated = privacy(tmp_path, client_instance_id="hash")
    sensors = TelemetrySensors(worst=(InstanceSensors(client_instance_id="uuid-1", throttled=3),))
    snapshot = GaugeSnapshot(
        source="one/1",
        epoch=1,
        seq=1,
        cluster_id="one",
        broker_id="1",
        sent_at_ms=1,
        asking=("uuid-1",),
        sensors=sensors,
    )

    told = treated.heartbeat(snapshot)

    expected = identity_hash(KEY, "client_instance_id", "uuid-1")
    assert told.asking == (expected,)
    assert told.sensors is not None
    assert [(one.client_instance_id, one.throttled) for one in told.sensors.worst] == [(expected, 3)]
    assert "uuid-1" not in told.model_dump_json()


async def test_a_connection_at_an_observer_is_told_as_pushes_of_its_client_are(tmp_path: Path) -> None:
    treated = privacy(
        tmp_path, client_id="hash", principal="drop", client_source_port="drop", client_instance_id="drop"
    )
    connection = OpenConnection(
        connection_id="c-1",
        opened_at_ms=1,
        state="observed",
        client_source_port=40_000,
        client_address="10.0.0.1",
        **RAW,
    )

    told = treated.connection(connection)
    event = await treated.treat(Event("s", 1, 1, 1, RAW, b""))

    assert told.client_id == event.identity["client_id"]
    assert told.client_instance_id == event.instance
    assert (told.principal, told.client_source_port, told.client_address) == (None, None, "10.0.0.1")
