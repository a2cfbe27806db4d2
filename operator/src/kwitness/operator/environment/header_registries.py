"""The registers of header keys that a resource names, as one set of rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from kwitness.contracts.header_rules import HeaderRules, RegisteredKey, RegisteredPrefix
from kwitness.contracts.resources.header_registry import (
    TESTING_IDS,
    HeaderKey,
    HeaderPrefix,
    HeaderRegistry,
    HeaderRegistrySpec,
)
from kwitness.contracts.resources.references import HeaderRegistryRef
from kwitness.operator.environment.header_ids import header_ids, header_ids_fact
from kwitness.operator.environment.needs import SETTLED_SECONDS
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.errors import TerminalError, TransientError
from kwitness.operator.model.header_ids import Homes, keys_of
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.store import Key
from kwitness.operator.model.wording import some
from kwitness.operator.shapes.facts import Watched
from kwitness.operator.shapes.work import Need, View

__all__ = [
    "CombinedRegistries",
    "combined_registries",
    "key_owners",
    "registries_resolved",
    "registry_keys",
    "registry_needs",
    "registry_of",
]

_KIND: Final = "HeaderRegistry"
_MOST_BYTES: Final = 131_072
"""Of rules as JSON: they become an annotation of pods, of which Kubernetes takes 256 KiB in all."""


@dataclass(frozen=True, slots=True)
class CombinedRegistries:
    """What registers say together, without keys whose values are counted.

    ``missing`` are registers that say nothing now, by why; ``too_large`` those that found no room.
    """

    rules: HeaderRules
    missing: Mapping[Key, str]
    too_large: tuple[Key, ...]


def registry_keys(namespace: str, references: Iterable[HeaderRegistryRef]) -> list[Key]:
    """The registers that a resource of the namespace names, in their order, each once."""
    return list(dict.fromkeys(Key(one.namespace or namespace, one.name) for one in references))


def registry_needs(registries: Iterable[Key], view: View) -> set[Need]:
    """The registers, and who has which key."""
    found = {Need(Watched(_KIND, one)) for one in registries}
    return found | {Need(header_ids_fact(view.settings), SETTLED_SECONDS)} if found else found


def combined_registries(registries: Iterable[Key], view: View) -> CombinedRegistries:
    """Put registers together: of entries alike the first register's counts, and so does its policy for other keys.

    Raises
    ------
    TransientError
        It is not known who has which key.
    """
    missing: dict[Key, str] = {}
    too_large: list[Key] = []
    keys: dict[str, RegisteredKey] = {}
    prefixes: dict[str, RegisteredPrefix] = {}
    unregistered = None
    room = _MOST_BYTES
    for at in registries:
        try:
            register = registry_of(at, view)
        except TerminalError as error:
            missing[at] = error.message
            continue
        owned = keys_of(key_owners(view), at)
        own_keys = {one.name: one for one in _registered(register.spec, owned) if one.name not in keys}
        own_prefixes = {one.prefix: _prefix(one, register.spec) for one in register.spec.prefixes}
        own_prefixes = {text: one for text, one in own_prefixes.items() if text not in prefixes}
        size = sum(len(one.model_dump_json()) + 1 for one in (*own_keys.values(), *own_prefixes.values()))
        if size > room:
            too_large.append(at)
            continue
        room -= size
        keys |= own_keys
        prefixes |= own_prefixes
        unregistered = unregistered or register.spec.policy
    rules = HeaderRules(
        keys=tuple(keys.values()), prefixes=tuple(prefixes.values()), unregistered=unregistered or "Report"
    )
    return CombinedRegistries(rules, missing, tuple(too_large))


def registries_resolved(field: str, combined: CombinedRegistries) -> Verdict:
    """Whether all registers that a field of the resource names count."""
    aspect = "HeaderRegistriesResolved"
    if combined.missing:
        named = some(f"{at} ({why})" for at, why in combined.missing.items())
        message = f"HeaderRegistry {named}: its keys count as not registered, the others' go on to count"
        return Verdict(aspect, "False", "RegistryMissing", message)
    if combined.too_large:
        message = (
            f"HeaderRegistry {some(str(at) for at in combined.too_large)} finds no room beside those before it in what"
            " pods are given, and its keys count as not registered: name fewer or smaller registers, or those that"
            " matter first; keys that begin alike take less room as spec.prefixes"
        )
        return Verdict(aspect, "False", "RegistriesTooLarge", message)
    return Verdict(aspect, "True", "RegistriesResolved", f"all registers that {field} names count")


def registry_of(at: Key, view: View) -> HeaderRegistry:
    """The register, if it counts.

    Raises
    ------
    TerminalError
        RegistryMissing, and why; InvalidSpec.
    TransientError
        It is not known who has which key.
    """
    body = view[Watched(_KIND, at)].value
    if body is None:
        raise TerminalError("RegistryMissing", "there is none, or it is in a namespace that is not watched")
    register = parse_resource(HeaderRegistry, body)
    if register.spec.suspend:
        raise TerminalError("RegistryMissing", "it is suspended")
    if register.spec.keys and not keys_of(key_owners(view), at):
        raise TerminalError("RegistryMissing", "none of its keys is registered: see its status")
    return register


def key_owners(view: View) -> Homes:
    """Who has which key.

    Raises
    ------
    TransientError
        It is not known.
    """
    try:
        return header_ids(view)
    except TerminalError as error:
        # What pods are given stays as it is meanwhile.
        raise TransientError(error.reason, error.message) from error


def _registered(spec: HeaderRegistrySpec, owned: Mapping[str, int | None]) -> Iterator[RegisteredKey]:
    for one in spec.keys:
        if one.name in owned:
            number = owned[one.name]
            yield RegisteredKey(
                name=one.name,
                id=number,
                required=one.required,
                testing_id=number in TESTING_IDS,
                type=one.type,
                sensitivity=one.sensitivity,
                policy=one.policy or spec.policy,
                max_bytes=one.max_bytes,
                deprecated=_is_deprecated(one),
            )


def _prefix(one: HeaderPrefix, spec: HeaderRegistrySpec) -> RegisteredPrefix:
    return RegisteredPrefix(
        prefix=one.prefix,
        type=one.type,
        sensitivity=one.sensitivity,
        policy=one.policy or spec.policy,
        max_bytes=one.max_bytes,
        deprecated=_is_deprecated(one),
    )


def _is_deprecated(one: HeaderKey | HeaderPrefix) -> bool:
    return one.deprecated is not None
