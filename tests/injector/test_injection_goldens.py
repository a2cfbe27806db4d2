"""What becomes of a pod, as files: see goldens/README.md."""

from __future__ import annotations

import functools
import json
import os
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonpatch
import pytest

from kwitness.contracts.injections import injection_hash
from kwitness.injector.decision.decide import Decision, Place, decide

from tests import merge_patch
from tests.case_files import read_cases, rewrite_outputs
from tests.injector.samples import POD, injection
from tests.merge_patch import merged, on_base

GOLDENS = Path(__file__).parent / "goldens"
WRITTEN = read_cases(GOLDENS)
CASES = sorted(WRITTEN)
USUAL = "a pod of a deployment"
AS_USUAL = "as usual"
SETTINGS = "observer.kwitness.dev/observer.json"


class Case:
    """The input of one golden."""

    def __init__(self, name: str) -> None:
        self.content = on_base(WRITTEN[name].content, lambda base: WRITTEN[base].content)
        given = self.content.get("given", {})
        self.pod = merged(POD, given.get("pod", {}))
        namespace = {"metadata": {"name": "shop", "labels": {"kwitness.dev/injection": "enabled"}}}
        self.place = Place(
            merged(namespace, given.get("namespace", {})),
            given.get("kubernetes", 34),
            given.get("security_level", "restricted"),
        )
        changes = given.get("injections", [{}])
        self.injections = [injection(**one) for one in changes]

    def decide(self, pod: dict[str, Any] | None = None) -> Decision:
        return decide(self.pod if pod is None else pod, self.place, self.injections)

    def patched(self, pod: dict[str, Any] | None = None) -> dict[str, Any]:
        before = deepcopy(self.pod if pod is None else pod)
        return dict(jsonpatch.apply_patch(before, list(self.decide(pod).patch)))


def readable(case: Case) -> dict[str, Any]:
    """Operation and path to value of a case's patch, with its injection's hash and settings as such."""
    decision = case.decide()
    own = next((one for one in case.injections if one.owner == decision.owner), None)
    known: dict[str, Any] = {}
    if own is not None:
        known = {"kwitness.dev/config-hash": injection_hash(own), SETTINGS: own.settings.model_dump(mode="json")}

    def said(name: str, value: Any) -> Any:
        found = parsed(value)
        if name not in known:
            return found
        return "the injection's" if found == known[name] else difference(found, known[name])

    patch: dict[str, list[Any]] = {}
    for operation in decision.patch:
        value, path = operation.get("value"), operation["path"]
        whole, _, name = path.rpartition("/")
        if path == "/metadata/annotations":
            value = {name: said(name, text) for name, text in value.items()}
        elif whole == "/metadata/annotations":
            value = said(name.replace("~1", "/"), value)
        patch.setdefault(f"{operation['op']} {path}", []).append(value)
    return {path: values[0] if len(values) == 1 else values for path, values in patch.items()}


def parsed(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) and value.startswith("{") else value


def difference(value: Any, usual: Any) -> Any:
    """Only what is not as usual."""
    if value == usual:
        return AS_USUAL
    related = isinstance(value, list) or (isinstance(value, dict) and isinstance(usual, dict) and value.keys() & usual)
    return merge_patch.difference(usual, value) if related and usual is not None else value


@functools.cache
def usual() -> dict[str, Any]:
    return readable(Case(USUAL))


def counterpart(path: str, usual: dict[str, Any]) -> Any:
    """What is usually written there, which may be all of a list or map at once."""
    place = path.partition(" ")[2]
    if place.endswith("/env"):
        return usual["add /spec/containers/0/env"]
    whole, _, part = place.rpartition("/")
    if whole == "/metadata/annotations":
        return usual[f"add {whole}"].get(part.replace("~1", "/"))
    return usual.get(f"add {place}") or usual.get(f"add {whole}", [None])[0]


def compared(path: str, value: Any) -> Any:
    if "/spec/volumes" in path:
        volumes = {one["name"]: one for one in usual()["add /spec/volumes"]}
        parts = [difference(one, volumes[one["name"]]) for one in (value if isinstance(value, list) else [value])]
        return AS_USUAL if all(one == AS_USUAL for one in parts) else parts
    return difference(value, counterpart(path, usual()))


def output(name: str) -> dict[str, Any]:
    case = Case(name)
    decision = case.decide()
    patch = readable(case)
    if name != USUAL:
        patch = {path: compared(path, value) for path, value in patch.items()}
    found = {"outcome": decision.outcome, "owner": decision.owner, "patch": patch, "left_out": dict(decision.left_out)}
    return {key: value for key, value in found.items() if value}


if os.environ.get("KWITNESS_UPDATE_GOLDENS"):
    WRITTEN = rewrite_outputs(GOLDENS, output)


@pytest.mark.parametrize("name", CASES)
def test_a_pod_becomes_what_its_golden_says(name: str) -> None:
    assert Case(name).content.get("then") == output(name), f"{WRITTEN[name].path}: {name}"


@pytest.mark.parametrize("name", CASES)
def test_a_webhook_that_is_asked_again_changes_nothing(name: str) -> None:
    case = Case(name)
    first = case.patched()

    again = case.decide(first)

    assert again.patch == ()
    assert (again.outcome, again.owner, again.left_out) == (
        case.decide().outcome,
        case.decide().owner,
        case.decide().left_out,
    )


@pytest.mark.parametrize("name", CASES)
def test_nothing_of_the_pod_is_changed_but_what_is_ours_and_the_variables(name: str) -> None:
    case = Case(name)
    after = case.patched()
    variables = {
        name
        for injection in case.injections
        if injection.variables
        for _, names in injection.variables
        for name in names
    }

    assert without_ours(after, variables) == without_ours(case.pod, variables)


def without_ours(pod: dict[str, Any], variables: set[str]) -> dict[str, Any]:
    pod = deepcopy(pod)
    spec, metadata = pod["spec"], pod["metadata"]
    marks = metadata.get("annotations") or {}
    metadata["annotations"] = {k: v for k, v in marks.items() if not k.partition("/")[0].endswith("kwitness.dev")}
    for part in ("initContainers", "volumes"):
        spec[part] = [one for one in spec.get(part) or [] if not one["name"].startswith("kwitness-observer")]
    spec["imagePullSecrets"] = [one for one in spec.get("imagePullSecrets") or [] if one["name"] != "mirror"]
    for container in [*spec["initContainers"], *spec["containers"]]:
        container["env"] = [one for one in container.get("env") or [] if one["name"] not in variables]
    return pod


def test_a_pod_with_as_many_annotations_as_it_can_have_gets_no_more() -> None:
    case = Case(USUAL)
    full = merged(case.pod, {"metadata": {"annotations": {"note": "x" * 255 * 1024}}})

    assert case.decide(full).left_out == {"shop/orders": "AnnotationsTooLong"}


def test_there_are_sixty_cases_and_more() -> None:
    assert len(CASES) >= 60
