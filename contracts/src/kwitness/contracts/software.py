"""What clients announce as software (KIP-511): what is inside, whether it pushes, and whether it is ours.

Names and versions come from clients and are not authenticated. What cannot be mapped is unknown, never safe.
"""

from __future__ import annotations

import re
from typing import Literal

from .registry_entries import Software
from .tables.software import ENTRIES

__all__ = [
    "OTHER",
    "OUR_CLIENT_ID_PREFIX",
    "OUR_VERSION_SUFFIX",
    "SOFTWARE",
    "UNANNOUNCED",
    "Software",
    "crashes_on_unknown_metrics",
    "is_ours",
    "librdkafka_version",
    "may_crash_on_unknown_metrics",
    "parse_version",
    "pushes_null",
    "pushes_telemetry",
    "ways_to_telemetry",
]

OUR_CLIENT_ID_PREFIX = "kwitness-"
"""Begins client ids and software names of our own clients."""
OUR_VERSION_SUFFIX = "-kwitness"
"""Ends software versions of our own clients in Java, whose library announces a fixed name."""
OTHER = "other"
"""Name or version of software that a collector does not tell apart: it can be any."""

SOFTWARE: tuple[Software, ...] = ENTRIES
"""The software known by name."""

Version = tuple[int, int, int]

_BY_NAME = {software.name: software for software in ENTRIES}
_EMBEDDED = re.compile(r"rdkafka-v?(\d{1,4})\.(\d{1,4})\.(\d{1,4})")
_PLAIN = re.compile(r"v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?(?![0-9])")
_FIRST_CRASHING: Version = (2, 5, 0)
_FIRST_SOUND: Version = (2, 5, 3)
_FIRST_PUSHING: Version = (2, 10, 1)
UNANNOUNCED = "unknown"
"""What Kafka calls the name and version of a client that announced none."""


def parse_version(text: str) -> Version | None:
    """Return major, minor and patch (0 where absent) at the start of `text`, or None."""
    found = _PLAIN.match(text)
    return (int(found[1]), int(found[2]), int(found[3] or 0)) if found else None


def librdkafka_version(name: str, version: str) -> Version | None:
    """Return the version of the librdkafka inside a client, or None where there is none or it is not known."""
    embedded = _EMBEDDED.search(version)
    if embedded:
        return (int(embedded[1]), int(embedded[2]), int(embedded[3]))
    software = _BY_NAME.get(name)
    if software is None or software.engine != "librdkafka":
        return None
    # Bindings without a suffix announce librdkafka's own version, or one that is kept equal to it.
    return parse_version(version)


def crashes_on_unknown_metrics(name: str, version: str) -> Literal["yes", "no", "unknown"]:
    """Say whether a client aborts when a subscription matches none of the metrics it knows.

    librdkafka 2.5.0 to 2.5.2 does. Software that is not in the table is unknown. One that announces nothing at all is
    older than KIP-511, and so than telemetry.
    """
    inside = librdkafka_version(name, version)
    if inside is not None:
        return "yes" if _FIRST_CRASHING <= inside < _FIRST_SOUND else "no"
    if name == version == UNANNOUNCED:
        return "no"
    software = _BY_NAME.get(name)
    return "unknown" if software is None or software.engine == "librdkafka" else "no"


def may_crash_on_unknown_metrics(name: str, version: str) -> bool:
    """Say whether such a crash must be reckoned with: it is certain, or nothing speaks against it.

    A program may give librdkafka a name of its own (`client.software.name`); librdkafka's version is then announced
    with it. So an unknown name is harmless only with a version that is readable and not of the range.
    """
    answer = crashes_on_unknown_metrics(name, version)
    announced = parse_version(version)
    of_the_range = announced is None or _FIRST_CRASHING <= announced < _FIRST_SOUND
    return answer == "yes" or (answer == "unknown" and of_the_range and not is_ours(None, name, version))


def pushes_null(name: str, version: str) -> bool:
    """Say whether a client pushes a null payload when nothing matches, upon which the broker closes its connection.

    librdkafka 2.5.3 to 2.10.0 does; each minor version of that range and 2.10.1 were tried with a producer.
    """
    inside = librdkafka_version(name, version)
    return inside is not None and _FIRST_SOUND <= inside < _FIRST_PUSHING


def pushes_telemetry(name: str, version: str) -> Literal["yes", "tooOld", "unknown"]:
    """Say whether a client can push telemetry.

    Libraries of which no version can count as too old, as does a client that announces nothing: it is older than
    KIP-511, and so than telemetry.
    """
    inside = librdkafka_version(name, version)
    if inside is not None:
        return "yes" if inside >= _FIRST_CRASHING else "tooOld"
    if name == version == UNANNOUNCED:
        return "tooOld"
    software = _BY_NAME.get(name)
    if software is None or software.pushes_since == "unknown":
        return "unknown"
    if software.pushes_since == "never":
        return "tooOld"
    announced, first = parse_version(version), parse_version(software.pushes_since)
    if announced is None or first is None:
        return "unknown"
    return "yes" if announced >= first else "tooOld"


def ways_to_telemetry(name: str, version: str, *, is_observed: bool = False) -> str:
    """Say what a client that cannot push is, and what to do about it, in a sentence without a full stop.

    One that `is_observed` is not advised to be observed.
    """
    software = _BY_NAME.get(name)
    if name == version == UNANNOUNCED:
        known, remedy = "a client that announces no software (before KIP-511) has no client telemetry", ""
    elif librdkafka_version(name, version) is not None:
        known = f"{name} {version} has no client telemetry"
        remedy = f"upgrade it to librdkafka {'.'.join(map(str, _FIRST_SOUND))}"
    elif software is None or software.pushes_since != "never":
        known = f"{name} {version} has no client telemetry"
        remedy = "upgrade it" if software is None else f"upgrade it to {software.pushes_since}"
    else:
        able = [
            entry.name for entry in ENTRIES if entry.language == software.language and parse_version(entry.pushes_since)
        ]
        known = f"{name} has no client telemetry in any version"
        remedy = f"use {' or '.join(able)}" if able else ""
    if is_observed:
        seen = "an observer counts what it reads and writes"
        return f"{known}: {remedy}; {seen}" if remedy else f"{known}; {seen}"
    observe = "observe it" if name != UNANNOUNCED else "observe it to know which"
    return f"{known}: " + (f"{remedy}, or {observe}" if remedy else observe)


def is_ours(client_id: str | None, software_name: str | None = None, software_version: str | None = None) -> bool:
    """Say whether a client announces itself as one of the platform's own."""
    # Without a loop: it is found of each client of an answer.
    return (
        (client_id or "").startswith(OUR_CLIENT_ID_PREFIX)
        or (software_name or "").startswith(OUR_CLIENT_ID_PREFIX)
        or (software_version or "").endswith(OUR_VERSION_SUFFIX)
    )
