"""Brokers that do not let the operator write subscriptions: observers that answer clients get them all the same."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest
from kafka import errors as kafka_errors

from kwitness.operator.adapters.kafka_admin import KafkaAdmin
from kwitness.operator.adapters.kafka_client import AdminClient
from kwitness.operator.context import Context
from kwitness.operator.model.errors import TransientError

from tests.eventually import eventually_beside
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import (
    apply,
    broker_configs,
    cluster,
    collector,
    condition,
    gateway,
    get,
    ready,
    subscription,
)

pytestmark = pytest.mark.broker

REFUSED = TransientError("Forbidden", "the operator lacks ALTER_CONFIGS on the cluster")


class WithoutRights(KafkaAdmin):
    """A broker whose client metrics the operator's user may neither read nor write."""

    async def observe(self, *arguments: Any, **more: Any) -> Any:
        return dataclasses.replace(await super().observe(*arguments, **more), refused=REFUSED, subscriptions={})

    async def subscriptions(self, *_: Any) -> Any:
        raise REFUSED

    async def alter(self, *arguments: Any, **_: Any) -> Any:
        raise AssertionError(f"{arguments} must not be tried")


def gateway_with(namespace: str, telemetry: str) -> dict[str, Any]:
    return gateway("front", namespace, telemetry=telemetry)


async def test_observers_get_what_brokers_refuse(api, namespace, clean_broker, tmp_path):
    def prepare(context: Context) -> None:
        context.kafka = WithoutRights()

    async def until(kind: str, name: str, reason: str) -> None:
        await eventually_beside(lambda: ready(api, kind, name, namespace), lambda now: now["reason"] == reason)

    def mounted() -> list[str]:
        file = get(api, "configmap", "kwitness-collector-main", namespace)["data"]["subscriptions.json"]
        return [one["id"] for one in json.loads(file)["subscriptions"]]

    resources = cluster("main", namespace, clean_broker.bootstrap), collector("main", namespace)
    apply(api, *resources, subscription("basic", namespace), gateway_with(namespace, "PassThrough"))
    async with operating(api, settings_of(namespace, tmp_path), prepare):
        await until("kfc", "main", "Connected")
        await until("kcms", "basic", "Forbidden")
        possible = condition(api, "kfc", "main", namespace, "SubscriptionsPossible")
        assert (possible["status"], possible["reason"]) == ("False", "SubscriptionsForbidden")

        await asyncio.to_thread(apply, api, gateway_with(namespace, "Terminate"))

        await until("kcms", "basic", "AskedByObservers")
        assert ready(api, "kfc", "main", namespace)["reason"] == "Connected"
        await eventually_beside(
            lambda: condition(api, "kfc", "main", namespace, "SubscriptionsPossible"),
            lambda now: "in the brokers' place" in now["message"],
        )
        await eventually_beside(mounted, lambda ids: ids == [f"kwitness.inst.{namespace}.basic"])
        assert broker_configs(clean_broker) == {}


def unknown_to(admin: pytest.MonkeyPatch) -> None:
    """A broker from before Kafka 3.7: the library finds out that it has no such request, and asks it nothing."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise kafka_errors.IncompatibleBrokerVersion("words of the library")

    admin.setattr(AdminClient, "list_config_resources", refuse)
    admin.setattr(AdminClient, "alter_configs", refuse)


def refused_by(code: int) -> Callable[[pytest.MonkeyPatch], None]:
    """A broker that lists subscriptions and answers each change of one with an error."""

    def prepare(admin: pytest.MonkeyPatch) -> None:
        def refuse(_: AdminClient, resources: list[Any], **__: Any) -> Any:
            return {"client_metrics": {one.name: str(kafka_errors.for_code(code)()) for one in resources}}

        admin.setattr(AdminClient, "alter_configs", refuse)

    return prepare


@pytest.mark.parametrize(
    ("prepare", "reason"),
    [
        pytest.param(unknown_to, "Unsupported", id="UNSUPPORTED_VERSION"),
        pytest.param(refused_by(40), "InvalidPattern", id="INVALID_CONFIG"),
        pytest.param(refused_by(44), "InvalidPattern", id="POLICY_VIOLATION"),
    ],
)
async def test_whatever_brokers_refuse_them_for_it_is_no_trouble_of_the_cluster(
    api, namespace, clean_broker, tmp_path, *, monkeypatch, prepare, reason
):
    prepare(monkeypatch)

    async def until(kind: str, name: str, reason: str) -> None:
        await eventually_beside(lambda: ready(api, kind, name, namespace), lambda now: now["reason"] == reason)

    apply(api, cluster("main", namespace, clean_broker.bootstrap), collector("main", namespace))
    apply(api, subscription("basic", namespace), gateway_with(namespace, "PassThrough"))
    async with operating(api, settings_of(namespace, tmp_path), lambda _: None):
        await until("kcms", "basic", reason)
        await until("kfc", "main", "Connected")

        await asyncio.to_thread(apply, api, gateway_with(namespace, "Terminate"))

        await until("kcms", "basic", "AskedByObservers")


class ControllerThatChanges(KafkaAdmin):
    """A broker that does not carry out the first changes."""

    refusals = 2

    async def alter(self, connection: Any, changes: Any, **more: Any) -> Any:
        if self.refusals:
            self.refusals -= 1
            return dict.fromkeys(changes, TransientError("NotCarriedOut", "the controller changes"))
        return await super().alter(connection, changes, **more)


async def test_a_change_that_was_not_carried_out_is_tried_again_before_the_resync(
    api, namespace, clean_broker, tmp_path
):
    def prepare(context: Context) -> None:
        context.kafka = ControllerThatChanges()

    apply(api, cluster("main", namespace, clean_broker.bootstrap), subscription("basic", namespace))
    async with operating(api, settings_of(namespace, tmp_path, resync_seconds=600), prepare):
        await eventually_beside(lambda: ready(api, "kcms", "basic", namespace)["reason"] == "Applied")
