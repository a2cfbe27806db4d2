"""CRDs: each is there, established, and has every field that this version has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from kwitness.contracts.generate.crds import crd
from kwitness.contracts.resources import KINDS, KindInfo
from kwitness.contracts.resources.meta import GROUP, VERSION

from .facts import InstallationFacts
from .finding import Finding, error, ok, warning

__all__ = ["check_definitions", "fields_lacking"]

CHECK: Final = "Definitions"
_APPLY: Final = (
    "apply the CRDs of this version: helm upgrade the chart with crds.enabled=true, or kubectl apply --server-side -f "
    "crds/"
)
_SHOWN: Final = 3


def check_definitions(facts: InstallationFacts) -> Iterator[Finding]:
    """A finding for each definition that is not as it should be, or one for all."""
    if facts.definitions is None and not facts.by_person:
        return
    if facts.definitions is None:
        yield warning(
            CHECK,
            "CustomResourceDefinitions",
            "you may not read them, so whether they are of this version is not known",
            "ask for the permission to list customresourcedefinitions.apiextensions.k8s.io",
        )
        return
    findings = [one for info in KINDS for one in _check(info, facts.definitions.get(f"{info.plural}.{GROUP}"))]
    yield from findings
    if not findings:
        yield ok(CHECK, "CustomResourceDefinitions", f"all {len(KINDS)} are there and of this version")


def _check(info: KindInfo, found: Mapping[str, Any] | None) -> Iterator[Finding]:
    name = f"{info.plural}.{GROUP}"
    if found is None:
        yield error(CHECK, name, "the definition is not there", _APPLY)
        return
    served = next((one for one in found["spec"]["versions"] if one["name"] == VERSION and one.get("served")), None)
    if served is None:
        yield error(CHECK, name, f"version {VERSION} is not served", _APPLY)
        return
    conditions = {one["type"]: one for one in (found.get("status") or {}).get("conditions") or ()}
    established = conditions.get("Established")
    if established is not None and established.get("status") != "True":
        yield error(CHECK, name, f"it is not established: {established.get('message', '')}", _APPLY)
    wanted = _schema(info)
    there = (served.get("schema") or {}).get("openAPIV3Schema") or {}
    if lacking := list(fields_lacking(wanted, there)):
        more = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
        yield error(
            CHECK,
            name,
            f"it is of an older version: it lacks {', '.join(lacking[:_SHOWN])}{more}, which the API server would drop",
            _APPLY,
        )
    elif unknown := list(fields_lacking(there, wanted)):
        more = f" and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
        yield warning(
            CHECK,
            name,
            f"it is of a newer version than this command: it has {', '.join(unknown[:_SHOWN])}{more}",
            "use the command of the installation's version",
        )


@cache
def _schema(info: KindInfo) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = crd(info)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    return schema


def fields_lacking(wanted: Mapping[str, Any], there: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Paths of fields that a schema has and another lacks; of a field that is lacking not its own fields as well."""
    for name, schema in (wanted.get("properties") or {}).items():
        at = f"{path}.{name}" if path else name
        other = (there.get("properties") or {}).get(name)
        if other is None:
            yield at
        else:
            yield from fields_lacking(schema, other, at)
    for part in ("items", "additionalProperties"):
        inner, other = wanted.get(part), there.get(part)
        if isinstance(inner, Mapping):
            yield from fields_lacking(inner, other if isinstance(other, Mapping) else {}, f"{path}[]")
