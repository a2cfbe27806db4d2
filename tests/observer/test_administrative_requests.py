"""Administrators of a real broker, through an observer that has no room for any other request."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from kwitness.contracts.records import RequestEvent
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.eventually import deliver, eventually
from tests.observer.events_server import EventsServer
from tests.observer.kafka_tools import config_command
from tests.observer.observer_process import ObserverProcess

pytestmark = pytest.mark.broker

TOPIC: Final = "audited"
GROUP: Final = "audited-readers"
PASSWORD: Final = "correct horse battery staple"
SALT: Final = b"salt of sixteen."
SECRET: Final = "JKS password of the broker"
GROUP_ID_NOT_FOUND: Final = 69
FLOOD: Final = 2_000
DELETE_GROUPS: Final = struct.pack(">hhih4sxxxx", 42, 0, 7, 4, b"many")
"""No group at all."""


class Audited:
    """A broker, an observer in front of it, and what that reports; a context manager."""

    def __init__(self, program: Path, folder: Path, server: EventsServer, broker: LocalBroker) -> None:
        token = folder / "token"
        token.write_text("token")
        self.server = server
        self.observer = ObserverProcess(
            program,
            folder,
            bootstrap=broker.bootstrap,
            nodes=(broker.node_id,),
            changes={
                # One event a second: no exchange has room.
                "report": {
                    "connections": False,
                    "traffic": False,
                    "latency": False,
                    "requests": {"apis": [], "events_per_second": 1},
                },
                "collector": {"url": server.url, "replicas": 1, "ca_file": None, "token_file": str(token)},
            },
        )

    def rows(self, api: str) -> list[dict[str, Any]]:
        """Of this API, in their order."""
        return [row for row in list(self.server.rows) if row.get("api") == api]

    def exchange(self, api: str, **fields: Any) -> tuple[RequestEvent, RequestEvent]:
        """The request of this API whose fields have these members, and its answer, once both are reported."""

        def found() -> list[RequestEvent]:
            rows = [RequestEvent.model_validate(row) for row in self.rows(api)]
            requests = [row for row in rows if row.kind == "request" and fields.items() <= (row.fields or {}).items()]
            return [
                row
                for row in rows
                if requests
                and (row.connection_id, row.correlation_id) == (requests[0].connection_id, requests[0].correlation_id)
            ]

        request, response = eventually(found, lambda rows: len(rows) == 2)
        assert (request.kind, response.kind) == ("request", "response")
        return request, response


@pytest.fixture(scope="module")
def broker() -> Iterator[LocalBroker]:
    with LocalBroker(authorizer=True) as broker:
        yield broker


@pytest.fixture
def audited(program: Path, broker: LocalBroker, tmp_path: Path) -> Iterator[Audited]:
    with EventsServer() as server:
        audited = Audited(program, tmp_path, server, broker)
        with audited.observer:
            yield audited


@pytest.fixture
def admin(audited: Audited) -> AdminClient:
    return AdminClient({"bootstrap.servers": audited.observer.bootstrap, "client.id": "alice"})


def test_topics_and_their_records(audited: Audited, admin: AdminClient) -> None:
    admin.create_topics([NewTopic(TOPIC, 1, 1, config={"retention.ms": "60000"})])[TOPIC].result()
    admin.create_partitions([NewPartitions(TOPIC, 3)])[TOPIC].result()
    producer = Producer({"bootstrap.servers": audited.observer.bootstrap})
    producer.produce(TOPIC, "value", partition=0)
    deliver(producer)
    for deleted in admin.delete_records([TopicPartition(TOPIC, 0, 1)]).values():
        assert deleted.result().low_watermark == 1

    request, _ = audited.exchange("CreateTopics")
    assert request.fields is not None
    (created,) = request.fields["Topics"]
    assert (created["Name"], created["Configs"]) == (TOPIC, [{"Name": "retention.ms", "Value": "60000"}])
    request, response = audited.exchange("CreatePartitions")
    assert request.client_id == "alice"
    assert request.fields == {"Topics": [{"Name": TOPIC, "Count": 3}], "ValidateOnly": False}
    assert response.fields == {"Results": [{"Name": TOPIC, "ErrorCode": 0}]}
    request, response = audited.exchange("DeleteRecords")
    assert request.fields == {"Topics": [{"Name": TOPIC, "Partitions": [{"PartitionIndex": 0, "Offset": 1}]}]}
    partition = {"PartitionIndex": 0, "LowWatermark": 1, "ErrorCode": 0}
    assert response.fields == {"Topics": [{"Name": TOPIC, "Partitions": [partition]}]}
    assert not [row for row in audited.server.rows if row.get("api") in {"Produce", "Metadata"}], "they had no room"


def test_configurations_without_passwords(audited: Audited, admin: AdminClient, broker: LocalBroker) -> None:
    def set_to(kind: ResourceType, name: str, **values: str) -> None:
        entries = [
            ConfigEntry(config.replace("_", "."), value, incremental_operation=AlterConfigOpType.SET)
            for config, value in values.items()
        ]
        resource = ConfigResource(kind, name, incremental_configs=entries)
        admin.incremental_alter_configs([resource], request_timeout=30)[resource].exception()

    set_to(ResourceType.BROKER, f"{broker.node_id}", log_cleaner_threads="2", ssl_key_password=SECRET)
    set_to(ResourceType.TOPIC, "nowhere", retention_ms="1")

    node = f"{broker.node_id}"
    shown = {"Name": "log.cleaner.threads", "ConfigOperation": 0, "Value": "2"}
    hidden = {"Name": "ssl.key.password", "ConfigOperation": 0, "Value": {"bytes": len(SECRET)}}
    request, response = audited.exchange(
        "IncrementalAlterConfigs",
        Resources=[{"ResourceType": 4, "ResourceName": node, "Configs": [shown, hidden]}],
    )
    assert response.fields is not None
    (answer,) = response.fields["Responses"]
    assert answer == {"ErrorCode": answer["ErrorCode"], "ResourceType": 4, "ResourceName": node}
    entry = {"Name": "retention.ms", "ConfigOperation": 0, "Value": "1"}
    request, response = audited.exchange(
        "IncrementalAlterConfigs",
        Resources=[{"ResourceType": 2, "ResourceName": "nowhere", "Configs": [entry]}],
    )
    assert request.topics == ("nowhere",)
    assert response.errors == {"3": 1}
    assert SECRET not in everything(audited)


def test_permissions(audited: Audited, admin: AdminClient) -> None:
    what = (ResourceType.TOPIC, "audit", ResourcePatternType.PREFIXED, "User:bob", "*")
    allowed = (AclOperation.READ, AclPermissionType.ALLOW)
    for created in admin.create_acls([AclBinding(*what, *allowed)]).values():
        created.result()
    for deleted in admin.delete_acls([AclBindingFilter(*what, *allowed)]).values():
        assert len(deleted.result()) == 1

    acl = {"ResourceType": 2, "ResourceName": "audit", "Principal": "User:bob", "Host": "*"}
    acl |= {"Operation": 3, "PermissionType": 3}
    request, response = audited.exchange("CreateAcls")
    assert request.fields == {"Creations": [{**acl, "ResourcePatternType": 4}]}
    assert request.topics == ()
    assert response.fields == {"Results": [{"ErrorCode": 0}]}
    request, response = audited.exchange("DeleteAcls")
    assert request.fields is not None
    (of,) = request.fields["Filters"]
    assert (of["ResourceNameFilter"], of["PatternTypeFilter"], of["PrincipalFilter"]) == ("audit", 4, "User:bob")
    assert response.fields is not None
    (found,) = response.fields["FilterResults"]
    assert found["MatchingAcls"] == [{"ErrorCode": 0, **acl, "PatternType": 4}]


def test_passwords_are_set_without_being_written(audited: Audited, admin: AdminClient) -> None:
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
    upsertion = UserScramCredentialUpsertion("bob", info, PASSWORD.encode(), SALT)
    for done in admin.alter_user_scram_credentials([upsertion]).values():
        done.result()

    request, response = audited.exchange("AlterUserScramCredentials")
    expected = {"Name": "bob", "Mechanism": 2, "Iterations": 4096}
    assert request.fields == {"Deletions": [], "Upsertions": [expected]}
    assert response.fields == {"Results": [{"User": "bob", "ErrorCode": 0}]}
    assert not re.search("salt|password|horse|c2FsdC", everything(audited), re.IGNORECASE)


def test_quotas_by_kafkas_own_tool_and_groups(audited: Audited, admin: AdminClient) -> None:
    rate = ("--alter", "--add-config", "producer_byte_rate=1024")
    with config_command(audited.observer.bootstrap, "--entity-type", "users", "--entity-name", "bob", *rate) as tool:
        tool.ended()
    # Until the group's coordinator has started the broker answers that it is none.
    eventually(lambda: refusal(admin), GROUP_ID_NOT_FOUND.__eq__)

    entity = [{"EntityType": "user", "EntityName": "bob"}]
    request, response = audited.exchange("AlterClientQuotas")
    operation = {"Key": "producer_byte_rate", "Value": 1024.0, "Remove": False}
    assert request.fields == {"Entries": [{"Entity": entity, "Ops": [operation]}], "ValidateOnly": False}
    assert response.fields == {"Entries": [{"ErrorCode": 0, "Entity": entity}]}
    unknown = {"Results": [{"GroupId": GROUP, "ErrorCode": GROUP_ID_NOT_FOUND}]}
    request_row, response_row = eventually(
        lambda: audited.rows("DeleteGroups")[-2:], lambda rows: [row.get("fields") for row in rows[1:]] == [unknown]
    )
    assert request_row["fields"] == {"GroupsNames": [GROUP]}
    assert response_row["errors"] == {f"{GROUP_ID_NOT_FOUND}": 1}


def test_a_flood_of_administrative_requests_is_counted_and_the_ledger_closes(audited: Audited) -> None:
    frame = struct.pack(">i", len(DELETE_GROUPS)) + DELETE_GROUPS
    with audited.observer.connect() as client:
        client.sendall(frame * FLOOD)
        answered = 0
        while answered < FLOOD * 16:
            answered += len(client.recv(65_536))

    def ledger() -> dict[tuple[str, str], float]:
        samples = audited.observer.metrics().items()
        found = [(re.findall(r'"(.*?)"', name), value) for name, value in samples if "observer_events_total" in name]
        return {(outcome, reason): value for (outcome, reason), value in found}

    def closes(now: dict[tuple[str, str], float]) -> bool:
        return now["accepted", ""] == sum(value for (outcome, _), value in now.items() if outcome != "accepted")

    def dropped() -> float:
        return ledger().get(("dropped", "administrative_limit"), 0)

    eventually(lambda: (len(audited.rows("DeleteGroups")), dropped()), lambda now: sum(now) == 2 * FLOOD)
    assert 500 <= len(audited.rows("DeleteGroups")) <= FLOOD
    assert dropped() >= FLOOD
    eventually(ledger, closes)
    sealed = [row["dropped"] for row in audited.server.rows if row.get("topic") == "requests" and "dropped" in row]
    assert sum(counts.get("administrative_limit", 0) for counts in sealed) == dropped()


def refusal(admin: AdminClient) -> int:
    """Kafka's error code of an attempt to delete the group."""
    (deleted,) = admin.delete_consumer_groups([GROUP]).values()
    return int(deleted.exception().args[0].code())


def everything(audited: Audited) -> str:
    """Everything that was reported, and what the observer wrote into its log."""
    return json.dumps(audited.server.rows) + b"".join(audited.server.bodies).decode() + audited.observer.log()
