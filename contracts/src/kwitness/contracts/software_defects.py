"""Names what is known to be wrong with telemetry of client software, by the version that a client announces.

The table is `contracts/registry/software_defects.yaml`; subscriptions are held back by it as well. Names and versions
come from clients and are not authenticated. Nothing is known to be wrong with a version that cannot be read, and it is
not safe either: `may_crash_on_unknown_metrics`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal

from .registry_entries import SoftwareDefect, Version
from .software import SOFTWARE, UNANNOUNCED, is_ours, librdkafka_version, parse_version
from .tables.software_defects import ENTRIES

__all__ = [
    "CRASH",
    "DEFECTS",
    "SoftwareDefect",
    "crashes_on_unknown_metrics",
    "defects_of",
    "may_crash_on_unknown_metrics",
    "pushes_null",
]

DEFECTS: tuple[SoftwareDefect, ...] = ENTRIES
"""All that is known to be wrong."""

_BY_ID: Final = {defect.id: defect for defect in DEFECTS}
_LIBRDKAFKA: Final = "librdkafka"
_ENGINES: Final = {software.name: software.engine for software in SOFTWARE}
CRASH: Final = _BY_ID["CrashOnUnknownMetrics"]
"""For which subscriptions are held back."""
_NULL_PUSH: Final = _BY_ID["DisconnectOnNullPush"]


@lru_cache(maxsize=2048)
def defects_of(name: str, version: str) -> tuple[SoftwareDefect, ...]:
    """Return what is known to be wrong with a client software of a version, in the order of the table."""
    inside = librdkafka_version(name, version)
    software, number = (name, parse_version(version)) if inside is None else (_LIBRDKAFKA, inside)
    return tuple(defect for defect in DEFECTS if defect.software == software and _affects(defect, number))


def _affects(defect: SoftwareDefect, version: Version | None) -> bool:
    return version is not None and any(first <= version <= last for first, last in defect.affected)


def crashes_on_unknown_metrics(name: str, version: str) -> Literal["yes", "no", "unknown"]:
    """Return "yes" where a client aborts when a subscription matches none of the metrics that it knows.

    Software that is not in the table is unknown. A client that announces nothing at all is older than KIP-511, and so
    than telemetry.
    """
    inside = librdkafka_version(name, version)
    if inside is not None:
        return "yes" if _affects(CRASH, inside) else "no"
    if name == version == UNANNOUNCED:
        return "no"
    return "unknown" if _ENGINES.get(name, _LIBRDKAFKA) == _LIBRDKAFKA else "no"


def may_crash_on_unknown_metrics(name: str, version: str) -> bool:
    """Return True where such a crash must be reckoned with: it is certain, or nothing speaks against it.

    A program may give librdkafka a name of its own (`client.software.name`); librdkafka's version is then announced
    with it. So an unknown name is harmless only with a version that is readable and not affected.
    """
    answer = crashes_on_unknown_metrics(name, version)
    announced = parse_version(version)
    is_possible = announced is None or _affects(CRASH, announced)
    return answer == "yes" or (answer == "unknown" and is_possible and not is_ours(None, name, version))


def pushes_null(name: str, version: str) -> bool:
    """Return True where a client pushes a null payload when nothing matches, and the broker closes its connection.

    Each minor version of the range and the one that is fixed were tried with a producer (docs/decisions/0032).
    """
    return _affects(_NULL_PUSH, librdkafka_version(name, version))
