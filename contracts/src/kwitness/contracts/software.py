"""Describes what clients announce as software (KIP-511): its name, the librdkafka inside, if it pushes, if it is ours.

Names and versions come from clients and are not authenticated. What cannot be mapped is unknown, never safe.
"""

from __future__ import annotations

import re
from typing import Literal

from .registry_entries import Software, Version
from .tables.software import ENTRIES

__all__ = [
    "OTHER",
    "OUR_CLIENT_ID_PREFIX",
    "OUR_VERSION_SUFFIX",
    "SOFTWARE",
    "UNANNOUNCED",
    "Software",
    "is_ours",
    "librdkafka_version",
    "parse_version",
    "pushes_telemetry",
]

OUR_CLIENT_ID_PREFIX = "kwitness-"
"""Begins client ids and software names of our own clients."""
OUR_VERSION_SUFFIX = "-kwitness"
"""Ends software versions of our own clients in Java, whose library announces a fixed name."""
OTHER = "other"
"""Name or version of software that a collector does not tell apart: it can be any."""

SOFTWARE: tuple[Software, ...] = ENTRIES
"""The software known by name."""

_BY_NAME = {software.name: software for software in ENTRIES}
_LIBRDKAFKA = "librdkafka"
_EMBEDDED = re.compile(r"rdkafka-v?(\d{1,4})\.(\d{1,4})\.(\d{1,4})")
_PLAIN = re.compile(r"v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?(?![0-9])")
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
    if software is None or software.engine != _LIBRDKAFKA:
        return None
    # Bindings without a suffix announce librdkafka's own version, or one that is kept equal to it.
    return parse_version(version)


def pushes_telemetry(name: str, version: str) -> Literal["yes", "tooOld", "unknown"]:
    """Say whether a client can push telemetry.

    Libraries of which no version can count as too old, as does a client that announces nothing: it is older than
    KIP-511, and so than telemetry.
    """
    inside = librdkafka_version(name, version)
    if inside is not None:
        since = parse_version(_BY_NAME[_LIBRDKAFKA].pushes_since)
        return "yes" if since is not None and inside >= since else "tooOld"
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


def is_ours(client_id: str | None, software_name: str | None = None, software_version: str | None = None) -> bool:
    """Say whether a client announces itself as one of the platform's own."""
    # Without a loop: it is found of each client of an answer.
    return (
        (client_id or "").startswith(OUR_CLIENT_ID_PREFIX)
        or (software_name or "").startswith(OUR_CLIENT_ID_PREFIX)
        or (software_version or "").endswith(OUR_VERSION_SUFFIX)
    )
