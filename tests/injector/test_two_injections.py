"""A review brings an observer and interceptors, and neither can take the other away."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from typing import Any

import jsonpatch
import pytest
from aiohttp.test_utils import TestClient, TestServer

from kwitness.contracts.endpoints import INJECT_PATH
from kwitness.contracts.injections import INJECTIONS_KEY, InjectionsFile
from kwitness.contracts.interceptor_injections import InterceptorInjectionsFile
from kwitness.injector.configuration import Configuration
from kwitness.injector.decision.place import Place
from kwitness.injector.webhook import Webhook

from tests.injector.interceptor_samples import interceptors
from tests.injector.samples import POD, injection
from tests.merge_patch import merged

SHOP = Place({"metadata": {"name": "shop", "labels": {"kwitness.dev/injection": "enabled"}}}, 34, "restricted")


def told_of_observers(**changes: Any) -> dict[str, str]:
    file = InjectionsFile(injections=(injection(**changes),))
    return {INJECTIONS_KEY: file.model_dump_json(by_alias=True)}


def told_of_interceptors(**changes: Any) -> dict[str, str]:
    file = InterceptorInjectionsFile(injections=(interceptors(**changes),))
    return {INJECTIONS_KEY: file.model_dump_json(by_alias=True)}


@pytest.fixture
def configuration() -> Configuration:
    made = Configuration()
    made.take(told_of_observers())
    made.take_interceptors(told_of_interceptors())
    return made


@pytest.fixture
async def client(configuration: Configuration) -> AsyncIterator[TestClient]:
    async def shop(_: str) -> Place:
        return SHOP

    async with TestClient(TestServer(Webhook(configuration, shop).application())) as made:
        yield made


async def reviewed(client: TestClient, pod: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The pod as it becomes, and the warnings."""
    request = {
        "uid": "1",
        "namespace": "shop",
        "operation": "CREATE",
        "object": pod,
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
    }
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    answer = await client.post(INJECT_PATH, json=review)
    response = (await answer.json())["response"]
    assert response["allowed"] is True
    patch = json.loads(base64.b64decode(response["patch"])) if "patch" in response else []
    return dict(jsonpatch.apply_patch(pod, patch)), response.get("warnings", [])


def init_containers(pod: dict[str, Any]) -> list[str]:
    return [one["name"] for one in pod["spec"].get("initContainers", [])]


async def test_a_pod_gets_both_and_a_second_review_changes_nothing(client: TestClient) -> None:
    once, _ = await reviewed(client, POD)

    assert init_containers(once) == ["kwitness-interceptors", "kwitness-observer"]
    assert {one["name"] for one in once["spec"]["volumes"]} == {
        "kwitness-observer",
        "kwitness-observer-marker",
        "kwitness-interceptors",
        "kwitness-interceptors-files",
    }
    assert (await reviewed(client, once))[0] == once


async def test_what_another_installation_injected_stays_as_it_is(client: TestClient) -> None:
    async def shop(_: str) -> Place:
        return SHOP

    other = Configuration()
    other.take(told_of_observers(name="theirs", installation="other"))
    other.take_interceptors(told_of_interceptors(name="theirs", settings={"installation": "other"}))
    once, _ = await reviewed(client, POD)

    async with TestClient(TestServer(Webhook(other, shop).application())) as second:
        twice, warnings = await reviewed(second, once)

    left_out = {
        "kwitness.dev/observers-left-out": "shop/theirs=OtherInstallation",
        "kwitness.dev/interceptors-left-out": "shop/theirs=OtherInstallation",
    }
    assert twice == merged(once, {"metadata": {"annotations": left_out}})
    assert len(warnings) == 2
    # The API server asks the first again, since the second changed annotations.
    assert (await reviewed(client, twice))[0] == twice


async def test_each_says_by_itself_why_it_leaves_a_pod_out(client: TestClient) -> None:
    pod = merged(POD, {"spec": {"containers": [{"name": "app", "env": [{"name": "KWITNESS_OFF", "value": "1"}]}]}})

    after, warnings = await reviewed(client, merged(pod, {"spec": {"hostNetwork": True}}))

    assert init_containers(after) == []
    assert warnings == [
        "kwitness: this pod gets no observer (shop/orders: HostNetwork)",
        "kwitness: this pod gets no interceptors (shop/orders: SwitchedOff)",
    ]


@pytest.mark.parametrize("text", ["", "no JSON", '{"injections": [{}]}'])
async def test_a_file_that_cannot_be_read_leaves_what_was_told_before_and_the_other(
    client: TestClient, configuration: Configuration, text: str
) -> None:
    configuration.take_interceptors({INJECTIONS_KEY: text})

    assert init_containers((await reviewed(client, POD))[0]) == ["kwitness-interceptors", "kwitness-observer"]

    configuration.take({INJECTIONS_KEY: text})

    assert init_containers((await reviewed(client, POD))[0]) == ["kwitness-interceptors", "kwitness-observer"]


async def test_without_the_file_of_interceptors_pods_get_observers_alone(
    client: TestClient, configuration: Configuration
) -> None:
    configuration.take_interceptors(None)

    assert init_containers((await reviewed(client, POD))[0]) == ["kwitness-observer"]


async def test_a_pod_that_one_decision_fails_over_gets_what_the_other_decides(client: TestClient) -> None:
    broken = merged(POD, {"spec": {"containers": [{"name": "app", "volumeMounts": [{"name": "data"}]}]}})

    assert init_containers((await reviewed(client, broken))[0]) == ["kwitness-observer"]
