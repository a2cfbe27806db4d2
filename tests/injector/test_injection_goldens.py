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
import yaml

from kwitness.contracts.injections import injection_hash
from kwitness.injector.decision.decide import Decision, Place, decide

from tests.injector.samples import POD, injection, merged

GOLDENS = Path(__file__).parent / "goldens"
CASES = sorted(path.stem for path in GOLDENS.glob("*.yaml"))
USUAL = "a-pod-of-a-deployment"
AS_USUAL = f"as in {USUAL}"
SETTINGS = "observer.kwitness.dev/observer.json"


class Case:
    """The input of one golden."""

    def __init__(self, name: str) -> None:
        self.path = GOLDENS / f"{name}.yaml"
        self.content = yaml.load(self.path.read_text(), Loader=yaml.CSafeLoader)
        given = self.content.get("given") or {}
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
    if isinstance(value, list) and isinstance(usual, list) and len(value) == len(usual) == 1:
        return [difference(value[0], usual[0])]
    if not isinstance(value, dict) or not isinstance(usual, dict) or not value.keys() & usual.keys():
        return value
    gone = dict.fromkeys(usual.keys() - value.keys())
    return {name: difference(one, usual.get(name)) for name, one in value.items() if one != usual.get(name)} | gone


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
    found: dict[str, Any] = {"outcome": decision.outcome, "owner": decision.owner, "patch": patch}
    return {**found, "left_out": dict(decision.left_out)} if decision.left_out else found


@pytest.mark.parametrize("name", CASES)
def test_a_pod_becomes_what_its_golden_says(name: str) -> None:
    case, found = Case(name), output(name)
    if os.environ.get("KWITNESS_UPDATE_GOLDENS"):
        case.content["then"] = found
        case.path.write_text(yaml.safe_dump(case.content, sort_keys=False, width=120))

    assert case.content["then"] == found


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
