"""One thing that was looked at, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Finding", "Severity", "error", "note", "ok", "warning"]

Severity = Literal["ok", "note", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found.

    Attributes
    ----------
    check
        The check, in one word to script on.
    severity
        ok; note: nothing can be done about it yet; warning: it works, not for ever or not whole; error: something does
        not work.
    subject
        What was looked at, such as `TelemetryCollector shop/main`.
    message
        What is the case.
    remedy
        What to do; empty where nothing is to be done, or where the message has it.
    """

    check: str
    severity: Severity
    subject: str
    message: str
    remedy: str = ""


def ok(check: str, subject: str, message: str) -> Finding:
    """Say that all is well."""
    return Finding(check, "ok", subject, message)


def note(check: str, subject: str, message: str, remedy: str) -> Finding:
    """Name a defect that no supported release mends."""
    return Finding(check, "note", subject, message, remedy)


def warning(check: str, subject: str, message: str, remedy: str) -> Finding:
    """Tell of what works, not for ever or not whole."""
    return Finding(check, "warning", subject, message, remedy)


def error(check: str, subject: str, message: str, remedy: str) -> Finding:
    """Tell of what does not work."""
    return Finding(check, "error", subject, message, remedy)
