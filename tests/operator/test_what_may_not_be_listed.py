"""A namespace that was taken away, or a kind whose definition is missing, hurts nobody who is not in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kwitness.e2e.api_server import ApiServer
from kwitness.operator.model.store import Key

from tests.eventually import eventually, eventually_beside
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import OperatorProcess, apply, get, may, until_reason

CRDS = Path(__file__).resolve().parents[2] / "crds"
STALL_S = 10
"""In place of five minutes: every watch begins again within a third of it."""


def _registry(name: str, namespace: str) -> dict[str, Any]:
    prefixes = [{"prefix": f"{name}.", "description": "Whose record it is.", "type": "String"}]
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "HeaderRegistry",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"prefixes": prefixes},
    }


def _works(api: ApiServer, name: str, namespace: str) -> None:
    apply(api, _registry(name, namespace))
    until_reason(api, "headerregistries", name, namespace, "Registered")


@pytest.fixture
def binding(api, another_namespace) -> dict[str, Any]:
    """What lets the operator into the other namespace, to be applied again."""
    made = get(api, "rolebinding", "kwitness-operator", another_namespace)
    return {**made, "metadata": {key: made["metadata"][key] for key in ("name", "namespace")}}


def _take_away(api: ApiServer, namespace: str) -> None:
    api.objects.delete("rolebinding", "kwitness-operator", namespace=namespace)
    eventually(lambda: not may(api, "operator", "list", "kafkaclusters.kwitness.dev", namespace))


def _may_not_read(api: ApiServer, plural: str, namespace: str) -> None:
    role = get(api, "role", "kwitness-operator", namespace)
    for rule in role["rules"]:
        rule["resources"] = [one for one in rule["resources"] if one != plural]
    api.objects.replace(role)
    eventually(lambda: not may(api, "operator", "list", f"{plural}.kwitness.dev", namespace))


def _is_well_beyond_the_stall(operator: OperatorProcess) -> None:
    ends = time.monotonic() + 1.5 * STALL_S
    while time.monotonic() < ends:
        assert operator.process.poll() is None
        status, reason = operator.probe("/healthz")
        assert status == 200, reason
        time.sleep(0.5)
    assert operator.probe("/readyz")[0] == 200


@pytest.fixture
def without_a_definition(api) -> Iterator[Callable[[], None]]:
    """Delete the definition of a kind until the test ends, and wait until the API server names that kind no more."""

    def delete() -> None:
        api.objects.delete("crd", "observerdeployments.kwitness.dev")
        eventually(lambda: "observerdeployments" not in api.request("GET", "/apis/kwitness.dev/v1beta1").text)

    yield delete
    api.define(CRDS)


def test_what_is_taken_away_stops_nothing_else_and_is_noticed_when_it_is_given_back(
    api, namespace, another_namespace, binding, start_operator
):
    operator = start_operator(watchNamespaces=[another_namespace, namespace], stallSeconds=STALL_S)
    _works(api, "a", another_namespace)
    _take_away(api, another_namespace)
    _may_not_read(api, "kafkaclusters", namespace)
    _is_well_beyond_the_stall(operator)
    assert "kafkaclusters" in operator.log_file.read_text()
    _works(api, "b", namespace)
    # Nobody watches there any more, and it is noticed all the same.
    apply(api, binding)
    _works(api, "c", another_namespace)


def test_an_operator_that_begins_without_a_namespace_and_a_definition_is_ready_and_works_for_the_others(  # noqa: PLR0917 - each of them a fixture
    api, namespace, another_namespace, binding, start_operator, without_a_definition
):
    _take_away(api, another_namespace)
    without_a_definition()
    operator = start_operator(watchNamespaces=[another_namespace, namespace], stallSeconds=STALL_S)
    _works(api, "a", namespace)
    # A definition is waited for at the start, for longer than the stall of this test.
    eventually(lambda: operator.probe("/healthz")[0] == 200)
    _is_well_beyond_the_stall(operator)
    apply(api, binding)
    _works(api, "b", another_namespace)
    assert operator.stop() == 0


async def test_lists_of_other_namespaces_are_complete(api, namespace, another_namespace, tmp_path):
    apply(api, _registry("a", namespace), _registry("gone", namespace), _registry("kept", another_namespace))
    settings = settings_of(namespace, tmp_path, watch_namespaces=[another_namespace, namespace])
    async with operating(api, settings, lambda _context: None) as context:

        def names() -> set[Key]:
            return {key for key, _ in context.store.items("HeaderRegistry")}

        kept = Key(another_namespace, "kept")
        assert names() == {Key(namespace, "a"), Key(namespace, "gone"), kept}
        _take_away(api, another_namespace)
        api.objects.delete("headerregistries", "gone", namespace=namespace)
        # Nobody watches here: a deletion is seen in a list, or never.
        await eventually_beside(lambda: names() == {Key(namespace, "a"), kept})
        apply(api, _registry("b", namespace))
        await eventually_beside(lambda: names() == {Key(namespace, "a"), Key(namespace, "b"), kept})


async def test_what_no_watch_reports_on_is_listed_before_liveness_would_miss_it(api, namespace, tmp_path):
    settings = settings_of(namespace, tmp_path, resync_seconds=600, stall_seconds=3)
    async with operating(api, settings, lambda _context: None) as context:
        apply(api, _registry("a", namespace))
        await eventually_beside(lambda: context.store.get("HeaderRegistry", Key(namespace, "a")) is not None)
