"""Models in Python: durations, statuses, and that what we write is what the other side reads."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from kwitness.contracts.collector_config import CollectorConfig, SubscriptionsFile
from kwitness.contracts.job_config import JobConfig
from kwitness.contracts.resources import KINDS
from kwitness.contracts.resources.contract_model import Contract
from kwitness.contracts.resources.header_registry import ID_RANGES
from kwitness.contracts.resources.kafka_cluster import KafkaCluster, KafkaClusterStatus
from kwitness.contracts.resources.meta import Condition, parse_duration
from kwitness.contracts.resources.precedence import precedence
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("100ms", 100), ("30s", 30_000), ("5m", 300_000), ("1h", 3_600_000), ("1h30m", 5_400_000), ("1s1ms", 1001)],
)
def test_a_duration_is_a_sum_of_its_parts(text, milliseconds) -> None:
    assert parse_duration(text) == timedelta(milliseconds=milliseconds)


@pytest.mark.parametrize("text", ["", "5", "5 m", "-5m", "1d", "1.5h", "m", "5m ", "5m\n", "٣s"])
def test_what_is_no_duration_is_refused_by_name(text) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        parse_duration(text)


@given(st.lists(st.tuples(st.integers(0, 10**9 - 1), st.sampled_from(["ms", "s", "m", "h"])), min_size=1, max_size=3))
def test_every_duration_that_the_schema_takes_can_be_read(parts) -> None:
    text = "".join(f"{count}{unit}" for count, unit in parts)

    assert parse_duration(text) >= timedelta()


@pytest.mark.parametrize("info", KINDS, ids=lambda info: info.kind)
def test_every_kind_has_a_status_with_conditions_and_generation(info) -> None:
    status = info.model.model_fields["status"].annotation.__args__[0]

    assert {"observed_generation", "conditions"} <= set(status.model_fields)


def models(model: type[BaseModel]) -> set[type[BaseModel]]:
    found = {model}
    for field in model.model_fields.values():
        pending: list[Any] = [field.annotation]
        while pending:
            one = pending.pop()
            if isinstance(one, type) and issubclass(one, BaseModel) and one not in found:
                found |= models(one)
            pending.extend(getattr(one, "__args__", ()))
    return found


@pytest.mark.parametrize("info", KINDS, ids=lambda info: info.kind)
def test_all_parts_of_a_resource_are_frozen_and_ignore_what_is_newer(info) -> None:
    for model in models(info.model):
        assert issubclass(model, Contract)
        assert model.model_config["frozen"]
        assert model.model_config["extra"] == "ignore"


def test_a_status_is_written_in_kubernetes_spelling_without_what_is_unknown() -> None:
    ready = Condition(
        type="Ready",
        status="True",
        reason="Connected",
        message="connected to 3 brokers",
        last_transition_time="2026-01-01T00:00:00Z",
        observed_generation=2,
    )
    status = KafkaClusterStatus(observed_generation=2, conditions=(ready,), cluster_id="x", kafka_version="4.3")

    written = status.model_dump(by_alias=True, exclude_none=True, exclude_defaults=True, mode="json")

    assert written == {
        "observedGeneration": 2,
        "clusterId": "x",
        "kafkaVersion": "4.3",
        "conditions": [
            {
                "type": "Ready",
                "status": "True",
                "reason": "Connected",
                "message": "connected to 3 brokers",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
                "observedGeneration": 2,
            }
        ],
    }


def test_a_resource_of_a_newer_version_is_still_read() -> None:
    body = {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "KafkaCluster",
        "metadata": {"name": "main", "namespace": "a", "uid": "u", "generation": 3, "managedFields": []},
        "spec": {"bootstrapServers": ["a:9092"], "fromTheFuture": True},
    }

    cluster = KafkaCluster.model_validate(body)

    assert cluster.spec.bootstrap_servers == ("a:9092",)
    assert cluster.spec.topics.on_create.partitions == 6


def test_a_field_named_like_a_python_word_keeps_its_name_in_json() -> None:
    body = {
        "metadata": {"name": "main"},
        "spec": {
            "clusterRef": {"name": "main"},
            "ingest": {"tls": {"mode": "Disabled"}, "from": [{"namespace": "kafka"}]},
        },
    }

    collector = TelemetryCollector.model_validate(body)

    assert collector.spec.ingest.from_[0].namespace == "kafka"
    assert collector.model_dump(by_alias=True)["spec"]["ingest"]["from"][0]["namespace"] == "kafka"


def test_the_highest_priority_comes_first_then_the_name() -> None:
    rivals = [(-1, "a"), (0, "b"), (5, "z"), (0, "a")]

    ordered = sorted(rivals, key=lambda rival: precedence(*rival))

    assert ordered == [(5, "z"), (0, "a"), (0, "b"), (-1, "a")]


def test_ranges_of_header_ids_do_not_overlap() -> None:
    ends = [edge for first, last, _ in sorted(ID_RANGES) for edge in (first, last)]

    assert ends == sorted(ends)
    assert len(ends) == len(set(ends))


@pytest.mark.parametrize(
    "model_and_body",
    [
        (
            CollectorConfig,
            {"cluster_id": "x", "namespace": "a", "name": "main", "kafka": {"bootstrap_servers": ["a:1"]}},
        ),
        (
            SubscriptionsFile,
            {
                "subscriptions": [
                    {"id": "kwitness.a.b.c", "metrics": ["*"], "interval_ms": 100, "match": {"client_id": "a"}}
                ]
            },
        ),
        (
            JobConfig,
            {
                "type": "ClientInventory",
                "cluster_id": "x",
                "kafka": {"bootstrap_servers": ["a:1"]},
                "table_path": "t",
                "checkpoint_path": "c",
                "quarantine_path": "q",
            },
        ),
    ],
    ids=lambda pair: pair[0].__name__,
)
def test_a_configuration_file_survives_being_written_and_read(model_and_body) -> None:
    model, body = model_and_body
    first = model.model_validate(body)

    assert model.model_validate_json(first.model_dump_json()) == first


def test_a_job_of_unknown_type_is_refused() -> None:
    with pytest.raises(ValidationError, match="type"):
        JobConfig.model_validate({"type": "wordCount"})
