"""kopf may watch and nothing else: a handler that wrote an annotation or a finalizer would end level-triggering."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from types import SimpleNamespace

import kopf
import pytest

import kwitness.operator
from kwitness.operator.context import Clock
from kwitness.operator.handlers.events import KINDS, receive, register
from kwitness.operator.handlers.lists import fill_store
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.store import Key, Store, Subject
from kwitness.operator.process import kopf_settings
from kwitness.operator.reconcile.status_writer import write_status
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.facts import Every, Referring, Watched

SOURCES = sorted(Path(inspect.getfile(kwitness.operator)).parent.rglob("*.py"))


class Recorder:
    """Stands where the context does: a store, and what was woken."""

    def __init__(self) -> None:
        self.store = Store()
        self.woken: list[tuple[str, Key]] = []
        self.changed: list[object] = []
        images = {"collector": "a", "spark": "b"}
        self.settings = OperatorSettings(namespace="n", watch_namespaces=["n"], images=images)

    def forget(self, kind: str, key: Key) -> None:
        self.forgotten = (kind, key)

    def enqueue(self, kind: str, key: Key, _delay: float) -> None:
        self.woken.append((kind, key))

    def told(self, fact: object) -> None:
        self.changed.append(fact)


@pytest.fixture
def context():
    return Recorder()


def _object(kind: str, name: str, version: str = "1", **spec: object) -> dict:
    metadata = {"name": name, "namespace": "n", "resourceVersion": version, "uid": name, "managedFields": [1]}
    return {"kind": kind, "metadata": metadata, "spec": spec}


def test_only_event_watchers_are_registered(context):
    registry = kopf.OperatorRegistry()
    register(registry, context)
    assert len(registry._watching.get_all_handlers()) == len(KINDS)
    for name in ("_changing", "_spawning", "_indexing", "_webhooks"):
        assert list(getattr(registry, name).get_all_handlers()) == [], name


def test_no_source_uses_a_decorator_that_writes():
    decorators = {found for path in SOURCES for found in re.findall(r"kopf\.(?:on\.)?(\w+)\(", path.read_text())}
    assert decorators <= {
        "event",
        "login",
        "spawn_tasks",
        "run_tasks",
        "OperatorRegistry",
        "OperatorSettings",
        "AiohttpSession",
    }


def test_kopf_posts_nothing_and_looks_at_nothing_else():
    settings = kopf_settings(300)
    assert settings.posting.enabled is False
    assert settings.scanning.disabled is True
    assert settings.peering.standalone is True
    assert settings.watching.server_timeout == 60


def test_an_echo_of_our_own_write_wakes_nobody(context):
    context.store.put("KafkaCluster", _object("KafkaCluster", "a", "7"))
    receive(context, "KafkaCluster", {"type": "MODIFIED", "object": _object("KafkaCluster", "a", "7")})
    assert context.woken == []


def test_an_older_version_does_not_replace_a_newer_one(context):
    context.store.put("KafkaCluster", _object("KafkaCluster", "a", "10", x=1))
    receive(context, "KafkaCluster", {"type": None, "object": _object("KafkaCluster", "a", "9", x=2)})
    assert context.store.get("KafkaCluster", Key("n", "a"))["spec"] == {"x": 1}


def test_a_subscription_wakes_the_cluster_that_it_left_and_the_one_it_refers_to(context):
    kind = "ClientMetricsSubscription"
    context.store.put(kind, _object(kind, "s", "1", clusterRef={"name": "old"}))
    moved = _object(kind, "s", "2", clusterRef={"name": "new", "namespace": "m"})
    receive(context, kind, {"type": "MODIFIED", "object": moved})
    assert set(context.woken) == {(kind, Key("n", "old")), (kind, Key("m", "new"))}


def test_a_pause_of_a_cluster_reaches_its_subscriptions_though_its_generation_stays(context):
    kind = "KafkaCluster"
    context.store.put(kind, _object(kind, "a", "1"))
    paused = _object(kind, "a", "2")
    paused["metadata"]["annotations"] = {"kwitness.dev/pause": "true"}
    receive(context, kind, {"type": "MODIFIED", "object": paused})
    assert set(context.woken) == {(kind, Key("n", "a")), ("ClientMetricsSubscription", Key("n", "a"))}


def test_a_collector_that_goes_wakes_its_rivals(context):
    kind = "TelemetryCollector"
    for name in ("first", "second"):
        context.store.put(kind, _object(kind, name, clusterRef={"name": "c"}))
    receive(context, kind, {"type": "DELETED", "object": _object(kind, "first", "2", clusterRef={"name": "c"})})
    assert (kind, Key("n", "second")) in context.woken
    assert ("Inventory", Key("n", "c")) in context.woken


def test_the_end_of_an_object_that_was_replaced_does_not_end_the_later_one(context):
    kind = "TelemetryCollector"
    earlier, later = _object(kind, "a", "2"), _object(kind, "a", "3")
    later["metadata"]["uid"] = "another"
    receive(context, kind, {"type": "ADDED", "object": later})
    receive(context, kind, {"type": "MODIFIED", "object": earlier})
    receive(context, kind, {"type": "DELETED", "object": earlier})
    assert context.store.get(kind, Key("n", "a"))["metadata"]["uid"] == "another"


async def test_what_is_deleted_while_it_is_listed_stays_deleted(context):
    kind = "TelemetryCollector"
    gone = _object(kind, "gone")
    receive(context, kind, {"type": "ADDED", "object": gone})

    async def answer_late(listed: str, _namespace: str | None) -> list[dict]:
        if listed != kind:
            return []
        receive(context, kind, {"type": "DELETED", "object": _object(kind, "gone", "2")})
        return [gone]

    context.kubernetes = SimpleNamespace(list=answer_late)
    await fill_store(context)
    assert context.store.get(kind, Key("n", "gone")) is None


async def test_what_is_deleted_while_its_status_is_written_stays_deleted(context):
    kind = "TelemetryCollector"
    present = _object(kind, "gone")
    receive(context, kind, {"type": "ADDED", "object": present})

    async def answer_late(*_: object, version: str) -> dict:
        receive(context, kind, {"type": "DELETED", "object": _object(kind, "gone", "3")})
        return _object(kind, "gone", "2")

    context.kubernetes = SimpleNamespace(patch_status=answer_late)
    context.clock, context.status_written, context.never_ready = Clock(), {}, set()
    verdict = Verdict("Ready", "True", "Available", "ready")
    await write_status(context, kind, Subject.of(present), fields={}, verdicts=[verdict])
    assert context.store.get(kind, Key("n", "gone")) is None


def test_managed_fields_are_not_kept(context):
    receive(context, "KafkaCluster", {"type": "ADDED", "object": _object("KafkaCluster", "a")})
    assert "managedFields" not in context.store.get("KafkaCluster", Key("n", "a"))["metadata"]


def test_bodies_share_the_names_of_their_fields_and_words_that_repeat(context):
    for name in ("a", "b"):
        answer = json.dumps(_object("KafkaCluster", name, condition=[{"status": "Unknown", "message": "no answer"}]))
        receive(context, "KafkaCluster", {"type": "ADDED", "object": json.loads(answer)})
    first, second = (context.store.get("KafkaCluster", Key("n", name)) for name in ("a", "b"))

    assert first["spec"] == second["spec"] == {"condition": [{"status": "Unknown", "message": "no answer"}]}
    assert [id(name) for name in first["metadata"]] == [id(name) for name in second["metadata"]]
    assert first["kind"] is second["kind"]
    assert first["spec"]["condition"][0]["status"] is second["spec"]["condition"][0]["status"]


def test_a_resource_that_moves_to_another_cluster_is_news_for_both(context):
    kind = "ObserverDeployment"
    context.store.put(kind, _object(kind, "g", "1", clusterRef={"name": "old"}))
    receive(context, kind, {"type": "MODIFIED", "object": _object(kind, "g", "2", clusterRef={"name": "new"})})
    assert set(context.changed) == {
        Watched(kind, Key("n", "g")),
        Every(kind),
        Referring(kind, Key("n", "old")),
        Referring(kind, Key("n", "new")),
    }


def test_a_gateway_that_comes_or_goes_changes_whom_the_collector_believes(context):
    context.store.put("TelemetryCollector", _object("TelemetryCollector", "main", clusterRef={"name": "c"}))
    gateway = _object("ObserverDeployment", "g", clusterRef={"name": "c"})
    gateway["metadata"]["generation"] = 1
    receive(context, "ObserverDeployment", {"type": "ADDED", "object": gateway})
    assert ("TelemetryCollector", Key("n", "main")) in context.woken


def test_a_profile_that_comes_or_goes_changes_whom_the_collector_believes(context):
    context.store.put("TelemetryCollector", _object("TelemetryCollector", "main", clusterRef={"name": "c"}))
    profile = _object("InterceptorProfile", "p", clusterRef={"name": "c"})
    profile["metadata"]["generation"] = 1
    receive(context, "InterceptorProfile", {"type": "ADDED", "object": profile})
    assert ("TelemetryCollector", Key("n", "main")) in context.woken
