"""The registers that a profile names, as one set of rules for its interceptors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
from kwitness.contracts.resources.interceptor_profile import HeaderRegistryRef, InterceptorProfile
from kwitness.operator.environment.header_ids import header_ids, header_ids_fact
from kwitness.operator.environment.needs import SETTLED_SECONDS
from kwitness.operator.model.errors import TerminalError, TransientError
from kwitness.operator.model.header_ids import HeaderIds
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Watched
from kwitness.operator.shapes.work import Need, View

__all__ = ["CombinedRegistries", "combined_registries", "header_needs", "refuse_foreign_stamps"]

_KIND: Final = "HeaderRegistry"
_MOST_BYTES: Final = 131_072
"""Of rules as JSON: they become an annotation of pods, of which Kubernetes takes 256 KiB in all."""


@dataclass(frozen=True, slots=True)
class CombinedRegistries:
    """What the registers of a profile say together; ``rules`` are None where no interceptor asks for them.

    ``missing`` are registers that say nothing now, by why; ``too_large`` those that found no room.
    """

    rules: HeaderRules | None
    missing: Mapping[Key, str]
    too_large: tuple[Key, ...]


def header_needs(key: Key, resource: InterceptorProfile, view: View) -> set[Need]:
    """The registers, and who has which key."""
    spec = resource.spec
    found = {Need(Watched(_KIND, _key(key.namespace, one))) for one in spec.header_registries}
    if found or any(one.stamp is not None for one in spec.interceptors):
        found.add(Need(header_ids_fact(view.settings), SETTLED_SECONDS))
    return found


def combined_registries(resource: InterceptorProfile, view: View) -> CombinedRegistries:
    """Put registers together: of entries alike the first register's counts, and so does its policy for other keys.

    Raises
    ------
    TransientError
        It is not known who has which key.
    """
    spec = resource.spec
    missing: dict[Key, str] = {}
    too_large: list[Key] = []
    keys: dict[str, RegisteredKey] = {}
    prefixes: dict[str, RegisteredPrefix] = {}
    unregistered = None
    room = _MOST_BYTES
    for at in _keys(resource):
        try:
            register = _register(at, view)
        except TerminalError as error:
            missing[at] = error.message
            continue
        owned = _ids(view).owners.get(at, {})
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
    judging = [one for one in spec.interceptors if one.type == "Headers"]
    if not judging:
        return CombinedRegistries(None, missing, tuple(too_large))
    rules = HeaderRules(
        keys=tuple(keys.values()),
        prefixes=tuple(prefixes.values()),
        unregistered=unregistered or "Report",
        values_of=tuple(key for one in judging if one.headers is not None for key in one.headers.values_of),
    )
    return CombinedRegistries(rules, missing, tuple(too_large))


def refuse_foreign_stamps(resource: InterceptorProfile, view: View) -> None:
    """See that a profile stamps no key that is not its namespace's to write.

    Raises
    ------
    TerminalError
        KeyNotOurs: a register of another namespace has the key, or one that the profile names keeps it secret.
    TransientError
        It is not known who has which key.
    """
    stamped = [stamp.key for one in resource.spec.interceptors if one.stamp is not None for stamp in one.stamp.stamps]
    if not stamped:
        return
    own = resource.metadata.namespace
    owner_of = {name: owner for owner, names in _ids(view).owners.items() for name in names}
    secret = {name: at for at in _keys(resource) for name in _secret(at, view)}
    for name in stamped:
        owner = owner_of.get(name)
        if owner is not None and owner.namespace != own:
            raise _not_ours(name, f"which HeaderRegistry {owner} of another namespace has")
        if name in secret:
            raise _not_ours(name, f"which HeaderRegistry {secret[name]} keeps secret")


def _not_ours(name: str, whose: str) -> TerminalError:
    return TerminalError(
        "KeyNotOurs",
        f"spec.interceptors stamp records with {name}, {whose}: stamp another key, or ask who registered it",
    )


def _key(namespace: str, reference: HeaderRegistryRef) -> Key:
    return Key(reference.namespace or namespace, reference.name)


def _keys(resource: InterceptorProfile) -> list[Key]:
    """The registers in their order, each once."""
    found = [_key(resource.metadata.namespace, one) for one in resource.spec.header_registries]
    return list(dict.fromkeys(found))


def _register(at: Key, view: View) -> HeaderRegistry:
    body = view[Watched(_KIND, at)].value
    if body is None:
        raise TerminalError("RegistryMissing", "there is none, or it is in a namespace that is not watched")
    register = parse_resource(HeaderRegistry, body)
    if register.spec.suspend:
        raise TerminalError("RegistryMissing", "it is suspended")
    if register.spec.keys and not _ids(view).owners.get(at):
        raise TerminalError("RegistryMissing", "none of its keys is registered: see its status")
    return register


def _ids(view: View) -> HeaderIds:
    try:
        return header_ids(view)
    except TerminalError as error:
        # What pods are given stays as it is meanwhile.
        raise TransientError(error.reason, error.message) from error


def _secret(at: Key, view: View) -> Iterator[str]:
    try:
        register = _register(at, view)
    except TerminalError:
        return
    yield from (one.name for one in register.spec.keys if one.sensitivity == "Secret")


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
