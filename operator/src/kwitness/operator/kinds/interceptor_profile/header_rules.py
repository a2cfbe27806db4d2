"""What a profile says of headers: the rules of its registers, and the keys that it stamps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.errors import TerminalError
from kwitness.operator.model.header_ids import HeaderIds
from kwitness.operator.model.references import cluster_key
from kwitness.operator.model.store import Key
from kwitness.operator.model.wording import some
from kwitness.operator.shapes.work import Need, View

__all__ = ["foreign_stamps", "header_needs", "header_rules", "lost_stamps", "registries_of", "stamps_written"]


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


def foreign_stamps(resource: InterceptorProfile, view: View) -> Mapping[str, str]:
    """Keys that a profile stamps and may not: by key, which HeaderRegistry has or keeps it.

    Of registers that the profile does not name, those count that claim keys for its KafkaCluster.

    Raises
    ------
    TransientError
        It is not known who has which key.
    """
    stamped = [stamp.key for entry in resource.spec.interceptors if entry.stamp for stamp in entry.stamp.stamps]
    if not stamped:
        return {}
    own = resource.metadata.namespace
    home = cluster_key(own, resource.spec.cluster_ref).namespace
    owners = key_owners(view).get(home, HeaderIds()).owners
    owner_of = {name: owner for owner, names in owners.items() for name in names}
    secret = {name: at for at in _keys(resource) for name in _secret(at, view)}
    found: dict[str, str] = {}
    for name in stamped:
        owner = owner_of.get(name)
        if owner is not None and owner.namespace != own:
            found[name] = f"HeaderRegistry {owner} of another namespace has it"
        elif name in secret:
            found[name] = f"HeaderRegistry {secret[name]} keeps it secret"
    return found


def stamps_written(resource: InterceptorProfile, view: View) -> tuple[Verdict, ...]:
    """The condition of a profile that stamps records; none for others."""
    if not any(entry.stamp for entry in resource.spec.interceptors):
        return ()
    foreign = foreign_stamps(resource, view)
    if not foreign:
        return (Verdict("StampsWritten", "True", "StampsWritten", "all keys that spec.interceptors stamp are allowed"),)
    return (Verdict("StampsWritten", "False", "StampsLeftOut", f"{lost_stamps(foreign)}; all else stays in pods"),)


def lost_stamps(foreign: Mapping[str, str]) -> str:
    """The text of a status for keys of `foreign_stamps`."""
    named = some(f"{name} ({why})" for name, why in foreign.items())
    return f"records are not stamped with {named}: stamp other keys, or contact the owners of the registers"


def _keys(resource: InterceptorProfile) -> list[Key]:
    return registry_keys(resource.metadata.namespace, resource.spec.header_registries)


def _secret(at: Key, view: View) -> Iterator[str]:
    try:
        register = registry_of(at, view)
    except TerminalError:
        return
    yield from (one.name for one in register.spec.keys if one.sensitivity == "Secret")
