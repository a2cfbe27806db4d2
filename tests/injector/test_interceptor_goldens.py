"""What becomes of a pod that interceptors are meant for, as files: each has what is given and what comes of it."""

from __future__ import annotations

import json
import os
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonpatch
import pytest

from kwitness.contracts.interceptor_injections import interceptor_injection_hash
from kwitness.injector.decision.decide import Decision, decide
from kwitness.injector.decision.interceptors import decide_on_interceptors
from kwitness.injector.decision.patch import applied
from kwitness.injector.decision.place import Place

from tests.case_files import read_cases, rewrite_outputs
from tests.injector.interceptor_samples import interceptors
from tests.injector.samples import POD, injection
from tests.merge_patch import merged, on_base

GOLDENS = Path(__file__).parent / "interceptor_goldens"
WRITTEN = read_cases(GOLDENS)
CASES = sorted(WRITTEN)
HASH = "kwitness.dev/interceptors-hash"
SETTINGS = "interceptors.kwitness.dev/interceptors.json"
OURS = ("kwitness-interceptors", "kwitness-interceptors-files")


class Case:
    """The input of one golden."""

    def __init__(self, name: str) -> None:
        self.content = on_base(WRITTEN[name].content, lambda base: WRITTEN[base].content)
        given = self.content.get("given", {})
        namespace = {"metadata": {"name": "shop", "labels": {"kwitness.dev/injection": "enabled"}}}
        self.place = Place(merged(namespace, given.get("namespace", {})), 34, "restricted")
        self.pod = merged(POD, given.get("pod", {}))
        observers = [injection(**one) for one in given.get("observers", [])]
        observed = decide(self.pod, self.place, observers)
        self.pod, self.observer = applied(self.pod, observed.patch), observed.observer
        self.injections = [interceptors(**one) for one in given.get("interceptors", [{}])]

    def decide(self, pod: dict[str, Any] | None = None) -> Decision:
        return decide_on_interceptors(self.pod if pod is None else pod, self.place, self.injections, self.observer)

    def patched(self) -> dict[str, Any]:
        return dict(jsonpatch.apply_patch(deepcopy(self.pod), list(self.decide().patch)))


def output(name: str) -> dict[str, Any]:
    case = Case(name)
    decision, pod = case.decide(), case.patched()
    spec, marks = pod["spec"], pod["metadata"].get("annotations") or {}
    hashes = {interceptor_injection_hash(one): f"that of {one.owner}" for one in case.injections}
    found: dict[str, Any] = {
        "outcome": decision.outcome,
        "owner": decision.owner,
        "left_out": dict(decision.left_out),
        "annotations": {
            name: settings(text) if name == SETTINGS else hashes.get(text, text) for name, text in marks.items()
        },
        "containers": {
            one["name"]: {part: one[part] for part in ("env", "volumeMounts") if part in one}
            for one in [*(spec.get("initContainers") or []), *spec["containers"]]
            if one["name"] != "kwitness-interceptors"
        },
        "init containers": [one["name"] for one in spec.get("initContainers") or []],
        "ours": [one for one in spec.get("initContainers") or [] if one["name"] in OURS],
        "volumes": [one for one in spec.get("volumes") or [] if one["name"] in OURS],
        "pull secrets": spec.get("imagePullSecrets"),
    }
    return {key: value for key, value in found.items() if value}


def settings(text: str) -> Any:
    """The settings in an annotation; a null is shown as text, since one in a golden takes out what its base has."""
    return json.loads(text.replace(":null", ':"null"').replace(": null", ': "null"'))


if os.environ.get("KWITNESS_UPDATE_GOLDENS"):
    WRITTEN = rewrite_outputs(GOLDENS, output)


@pytest.mark.parametrize("name", CASES)
def test_a_pod_becomes_what_its_golden_says(name: str) -> None:
    assert Case(name).content.get("then") == output(name), f"{WRITTEN[name].path}: {name}"


@pytest.mark.parametrize("name", CASES)
def test_a_webhook_that_is_asked_again_changes_nothing(name: str) -> None:
    case = Case(name)
    first = case.decide()

    again = case.decide(case.patched())

    assert again.patch == ()
    assert (again.outcome, again.owner, again.left_out) == (first.outcome, first.owner, first.left_out)


@pytest.mark.parametrize("name", CASES)
def test_what_is_applied_here_is_what_the_api_server_makes_of_the_patch(name: str) -> None:
    case = Case(name)

    assert applied(case.pod, case.decide().patch) == case.patched()


@pytest.mark.parametrize("name", CASES)
def test_an_observer_that_is_asked_again_leaves_the_interceptors_alone(name: str) -> None:
    case = Case(name)
    given = case.content.get("given", {})
    observers = [injection(**one) for one in given.get("observers", [])]

    assert decide(case.patched(), case.place, observers).patch == ()


@pytest.mark.parametrize("name", CASES)
def test_what_is_put_into_pods_is_within_pod_security_restricted(name: str) -> None:
    for container in output(name).get("ours", []):
        security = container["securityContext"]
        assert security["allowPrivilegeEscalation"] is False
        assert security["capabilities"] == {"drop": ["ALL"]}
        assert security["runAsNonRoot"] is True
        assert security["seccompProfile"] == {"type": "RuntimeDefault"}


def test_a_pod_with_as_many_annotations_as_it_can_have_gets_no_more() -> None:
    case = Case("python")
    full = merged(case.pod, {"metadata": {"annotations": {"note": "x" * 255 * 1024}}})

    assert case.decide(full).left_out == {"shop/orders": "AnnotationsTooLong"}


def test_there_are_twenty_five_cases_and_more() -> None:
    assert len(CASES) >= 25
