"""Finds the Java program, and options for virtual machines that live for minutes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

__all__ = ["SMALL_JVM", "java_program"]

SMALL_JVM: Final = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
"""Start quickly; the second compiler would not pay for itself."""


def java_program() -> str:
    """The `java` of `$JAVA_HOME`, else the one on the path."""
    program = Path(os.environ.get("JAVA_HOME") or "") / "bin" / "java"
    return str(program) if program.is_file() else "java"
