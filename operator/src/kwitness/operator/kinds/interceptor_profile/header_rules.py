"""What a profile says of headers: the rules of its registers, and the keys that it stamps."""

from __future__ import annotations

from collections.abc import Iterator

from kwitness.contracts.header_rules import HeaderRules
from kwitness.contracts.resources.interceptor_profile import InterceptorProfile
from kwitness.operator.environment.header_ids import header_ids_fact
from kwitness.operator.environment.header_registries import (
    CombinedRegistries,
    combined_registries,
    key_owners,
    registry_keys,
    registry_needs,
    registry_of,
)
from kwitness.operator.environment.needs import SETTLED_SECONDS
from kwitness.operator.model.errors import TerminalError
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.work import Need, View

__all__ = ["header_needs", "header_rules", "refuse_foreign_stamps", "registries_of"]


def header_needs(resource: InterceptorProfile, view: View) -> set[Need]:
    """The registers, and who has which key."""
    found = registry_needs(_keys(resource), view)
    if any(one.stamp is not None for one in resource.spec.interceptors):
        found.add(Need(header_ids_fact(view.settings), SETTLED_SECONDS))
    return found


def registries_of(resource: InterceptorProfile, view: View) -> CombinedRegistries:
    """Put the profile's registers together.

    Raises
    ------
    TransientError
        It is not known who has which key.
    """
    return combined_registries(_keys(resource), view)


def header_rules(resource: InterceptorProfile, view: View) -> HeaderRules | None:
    """What interceptors judge headers by; None where none of the profile's does.

    Raises
    ------
    TransientError
        It is not known who has which key.
    """
    judging = [one for one in resource.spec.interceptors if one.type == "Headers"]
    if not judging:
        return None
    counted = tuple(key for one in judging if one.headers is not None for key in one.headers.values_of)
    return registries_of(resource, view).rules.model_copy(update={"values_of": counted})


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
    owner_of = {name: owner for owner, names in key_owners(view).owners.items() for name in names}
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


def _keys(resource: InterceptorProfile) -> list[Key]:
    return registry_keys(resource.metadata.namespace, resource.spec.header_registries)


def _secret(at: Key, view: View) -> Iterator[str]:
    try:
        register = registry_of(at, view)
    except TerminalError:
        return
    yield from (one.name for one in register.spec.keys if one.sensitivity == "Secret")
