"""Variables by which runtimes find interceptors, beside what a pod has in them: nothing of a pod's own is lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from kwitness.contracts.injections import LeftOutReason
from kwitness.contracts.interceptor_injections import (
    INTERCEPTORS_SETTINGS,
    JAVA_AGENT,
    JAVA_OPTIONS,
    PYTHON_FOLDER,
    PYTHON_PATH,
    InterceptorInjection,
)
from kwitness.contracts.interceptor_settings import (
    CONTAINER_VARIABLE,
    OFF_VARIABLE,
    POD_NAME_VARIABLE,
    POD_NAMESPACE_VARIABLE,
    SETTINGS_VARIABLE,
)
from kwitness.contracts.interceptors import InterceptorRuntime

from .pods import Json

__all__ = ["is_switched_off", "with_interceptors"]

_Merge = Callable[[str], str]
"""From what a variable has to what it must have."""
_Question = Callable[[str], bool]

_PYTHON_PATH: Final = "PYTHONPATH"
_AGENT: Final = f"-javaagent:{JAVA_AGENT}"
_OWN: Final = "KWITNESS_OWN_"
"""Before the name of a variable that has what the pod's variable had, where that is not written in the pod."""


def is_switched_off(container: Json) -> bool:
    """Whether the container says itself that interceptors do nothing in it."""
    return any(one["name"] == OFF_VARIABLE and one.get("value") == "1" for one in container.get("env") or [])


def with_interceptors(
    container: Json,
    injection: InterceptorInjection,
    runtimes: frozenset[InterceptorRuntime],
    annotations: Mapping[str, str],
) -> list[Json] | LeftOutReason:
    """Return the container's environment with the variables of its runtimes, or why that cannot be made.

    What the container's image sets is replaced by a variable of the pod: ``annotations`` of the pod name it.
    """
    environment = list(container.get("env") or [])
    for entry in reversed(_ours(container)):
        present = [one for one in environment if one["name"] == entry["name"]]
        if not present:
            environment.insert(0, entry)
        elif present != [entry]:
            return "NameTaken"
    if "python" in runtimes:
        found = _with_folder(environment, container, annotations.get(PYTHON_PATH))
        if not isinstance(found, list):
            return found
        environment = found
    if "java" in runtimes:
        return _with_agent(environment, container, injection.java_variable, annotations.get(JAVA_OPTIONS))
    return environment


def _ours(container: Json) -> list[Json]:
    return [
        {"name": SETTINGS_VARIABLE, "value": INTERCEPTORS_SETTINGS},
        *(
            {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}
            for name, path in (
                (POD_NAMESPACE_VARIABLE, "metadata.namespace"),
                (POD_NAME_VARIABLE, "metadata.name"),
            )
        ),
        {"name": CONTAINER_VARIABLE, "value": container["name"]},
    ]


def _with_folder(environment: list[Json], container: Json, of_image: str | None) -> list[Json] | LeftOutReason:
    """Our folder comes first: Python runs the first `sitecustomize` alone, and ours runs the one that it hides."""

    def merged(own: str) -> str:
        return f"{PYTHON_FOLDER}:{own}" if own else PYTHON_FOLDER

    if not _is_shown(environment, _PYTHON_PATH) and of_image is None and container.get("envFrom"):
        # A reference to nothing stays as it is written: a folder that is not there.
        of_image = f"$({_PYTHON_PATH})"
    return _merged(
        environment, _PYTHON_PATH, of_image or "", merged, lambda value: value.split(":", 1)[0] == PYTHON_FOLDER
    )


def _with_agent(
    environment: list[Json], container: Json, variable: str, of_image: str | None
) -> list[Json] | LeftOutReason:
    """Our agent comes last, after the pod's own options and agents."""

    def merged(own: str) -> str:
        return f"{own} {_AGENT}" if own.strip() else _AGENT

    if not _is_shown(environment, variable) and of_image is None and container.get("envFrom"):
        # A JVM does not start with a reference to nothing among its options.
        return "VariableUnknown"
    return _merged(environment, variable, of_image or "", merged, lambda value: _AGENT in value.split())


def _is_shown(environment: list[Json], name: str) -> bool:
    return any(one["name"] == name for one in environment)


def _merged(
    environment: list[Json],
    name: str,
    of_image: str,
    merged: _Merge,
    has_ours: _Question,
) -> list[Json] | LeftOutReason:
    places = [at for at, one in enumerate(environment) if one["name"] == name]
    if not places:
        return [*environment, {"name": name, "value": merged(of_image)}]
    # Of several with one name the last counts.
    at = places[-1]
    entry, before, after = environment[at], environment[:at], environment[at + 1 :]
    if "valueFrom" not in entry:
        value = entry.get("value") or ""
        return environment if has_ours(value) else [*before, {"name": name, "value": merged(value)}, *after]
    own = f"{_OWN}{name}"
    if _may_be_absent(entry["valueFrom"]):
        return "VariableUnknown"
    if _is_shown(environment, own):
        return "NameTaken"
    return [*before, {**entry, "name": own}, {"name": name, "value": merged(f"$({own})")}, *after]


def _may_be_absent(source: Json) -> bool:
    return any((source.get(kind) or {}).get("optional") for kind in ("configMapKeyRef", "secretKeyRef"))
