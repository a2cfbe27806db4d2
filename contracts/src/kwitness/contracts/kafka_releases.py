"""Which versions of Kafka's APIs brokers of a release answer, and whether a client's software speaks any of them.

Brokers are known by Kafka's own message definitions, Java clients likewise; other software by what KIP-896 looked at
when it chose what Kafka 4.0 removed. What is not known is unknown, never safe.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple, get_args

from .registry_entries import KafkaApi, Version
from .software import SOFTWARE, librdkafka_version, parse_version
from .tables.kafka_releases import ENTRIES, OLDEST_CLIENT, KafkaRelease

__all__ = [
    "KAFKA_RELEASES",
    "KNOWN_APIS",
    "KafkaRelease",
    "Lifetime",
    "dropped_by",
    "drops",
    "lifetime",
    "lifetimes",
    "reaches",
]

KAFKA_RELEASES: tuple[KafkaRelease, ...] = get_args(KafkaRelease)
"""The releases whose brokers are known, the oldest first."""

_BY_NAME = {api.name: api for api in ENTRIES} | {str(api.number): api for api in ENTRIES}
KNOWN_APIS = frozenset(_BY_NAME)
"""Names and numbers of the APIs that there are."""
_BY_SOFTWARE = {software.name: software for software in SOFTWARE}
_REMOVAL: KafkaRelease = "4.0"
"""The release that KIP-896 is about."""
_BETWEEN_BROKERS = frozenset({"WriteTxnMarkers"})
"""What brokers send each other. Admin clients send it since Kafka 3.0 (KIP-664), when it had its later version."""


class Lifetime(NamedTuple):
    """Between which releases brokers answer a version of an API.

    Attributes
    ----------
    added_in
        The first that answers it; None where the oldest known one does, or none.
    dropped_in
        The first that no longer answers it; None where the newest does, or where it is newer than all.
    """

    added_in: KafkaRelease | None
    dropped_in: KafkaRelease | None


@cache
def lifetime(api: str, version: int) -> Lifetime | None:
    """How long brokers answer a version of an API, by its name or number; None where the API is not known."""
    if api not in _BY_NAME:
        return None
    spans = [_BY_NAME[api].versions.get(release) for release in KAFKA_RELEASES]
    answering = [at for at, span in enumerate(spans) if span and span[0] <= version <= span[1]]
    added = KAFKA_RELEASES[answering[0]] if answering and answering[0] > 0 else None
    after = answering[-1] + 1 if answering else 0
    for at in range(after, len(spans)):
        span = spans[at]
        is_gone = span is None and any(spans[:at])
        if is_gone or (span is not None and version < span[0]):
            return Lifetime(added, KAFKA_RELEASES[at])
    return Lifetime(added, None)


@cache
def lifetimes() -> dict[tuple[str, int], Lifetime]:
    """Those versions of APIs, by name and by number, that not all known releases answer alike."""
    return {
        (name, version): life
        for name, api in _BY_NAME.items()
        for version in range(max(last for _, last in api.versions.values()) + 1)
        if (life := lifetime(name, version)) and any(life)
    }


def dropped_by(target: KafkaRelease) -> frozenset[tuple[str, int]]:
    """Versions of APIs that brokers of the target no longer answer, though older ones do or did.

    What is newer than the target is none of these: clients that know it know older versions.
    """
    return frozenset(
        one for one, life in lifetimes().items() if life.dropped_in and _at(life.dropped_in) <= _at(target)
    )


def drops(target: KafkaRelease) -> tuple[KafkaRelease, ...]:
    """The releases up to the target that drop something which the oldest known one answers."""
    oldest = KAFKA_RELEASES[0]
    dropping = {
        life.dropped_in
        for (name, version), life in lifetimes().items()
        if version <= _BY_NAME[name].versions.get(oldest, (0, -1))[1]
    }
    return tuple(release for release in KAFKA_RELEASES if release in dropping and _at(release) <= _at(target))


@cache
def reaches(name: str, version: str, target: KafkaRelease) -> Literal["yes", "mayNot", "unknown"]:
    """Whether software, by what it announces, speaks a version of each of its APIs that the target answers."""
    if not (dropping := drops(target)):
        return "yes"
    if name == "apache-kafka-java":
        return _java_reaches(version, target)
    software = _BY_SOFTWARE.get(name)
    inside = librdkafka_version(name, version)
    known = _BY_SOFTWARE["librdkafka"] if inside else software
    announced = inside or parse_version(version)
    first = parse_version(known.kafka_4_since) if known else None
    # KIP-896 speaks of one release alone.
    if announced is None or first is None or dropping != (_REMOVAL,):
        return "unknown"
    return "yes" if announced >= first else "mayNot"


def _java_reaches(version: str, target: KafkaRelease) -> Literal["yes", "mayNot", "unknown"]:
    """Java clients know the definitions of their release; one between two known ones knows no less than the older.

    And begins with no later version than the newer, since versions are only ever added and removed in order.
    """
    announced = parse_version(version)
    known: dict[Version, str] = {_parsed(release): release for release in (OLDEST_CLIENT, *KAFKA_RELEASES)}
    if announced is None:
        return "unknown"
    minor = (*announced[:2], 0)
    older = [one for one in known if one <= minor]
    newer = [one for one in known if one >= minor]
    if not older or not newer:
        return "unknown"
    sent = (api for api in ENTRIES if api.name not in _BETWEEN_BROKERS)
    spoken = (_overlap(api, known[max(older)], known[min(newer)], target) for api in sent)
    return "yes" if all(spoken) else "mayNot"


def _overlap(api: KafkaApi, older: str, newer: str, target: KafkaRelease) -> bool:
    answered, last, first = (api.versions.get(release) for release in (target, older, newer))
    if answered is None or last is None or first is None:
        # Nobody's clients send it, or only some releases' do, which then ask the broker whether it has it.
        return True
    return first[0] <= answered[1] and last[1] >= answered[0]


def _parsed(release: str) -> Version:
    major, minor = release.split(".")
    return (int(major), int(minor), 0)


def _at(release: KafkaRelease) -> int:
    return KAFKA_RELEASES.index(release)
