"""Advises on clients that cannot push telemetry."""

from __future__ import annotations

from .software import SOFTWARE, UNANNOUNCED, librdkafka_version, parse_version
from .software_defects import CRASH

__all__ = ["ways_to_telemetry"]

_BY_NAME = {software.name: software for software in SOFTWARE}


def ways_to_telemetry(name: str, version: str, *, is_observed: bool = False) -> str:
    """Return what a client that cannot push is, and what to do about it, in a sentence without a full stop.

    One that `is_observed` is not advised to be observed.
    """
    software = _BY_NAME.get(name)
    if name == version == UNANNOUNCED:
        known, remedy = "a client that announces no software (before KIP-511) has no client telemetry", ""
    elif librdkafka_version(name, version) is not None:
        known = f"{name} {version} has no client telemetry"
        remedy = f"upgrade it to librdkafka {CRASH.fixed_in[0]}"
    elif software is None or software.pushes_since != "never":
        known = f"{name} {version} has no client telemetry"
        remedy = "upgrade it" if software is None else f"upgrade it to {software.pushes_since}"
    else:
        same = [entry for entry in SOFTWARE if entry.language == software.language]
        able = [entry.name for entry in same if parse_version(entry.pushes_since)]
        known = f"{name} has no client telemetry in any version"
        remedy = f"use {' or '.join(able)}" if able else ""
    if is_observed:
        seen = "an observer counts what it reads and writes"
        return f"{known}: {remedy}; {seen}" if remedy else f"{known}; {seen}"
    observe = "observe it" if name != UNANNOUNCED else "observe it to know which"
    return f"{known}: " + (f"{remedy}, or {observe}" if remedy else observe)
