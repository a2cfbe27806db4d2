"""Starts a program of ours and waits until it is ready."""

from __future__ import annotations

import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from kwitness.contracts.endpoints import READY_PATH
from kwitness.sandbox.guarded_process import GuardedProcess
from kwitness.sandbox.waiting import WaitFailedError, wait_until

__all__ = ["DIRECT", "start_and_wait"]

DIRECT: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Opens addresses of loopback, also where a proxy is set."""
_SHOWN: Final = 3000
"""Characters of a log."""


def start_and_wait(
    what: str,
    command: Sequence[str],
    *,
    probe_port: int,
    log_file: Path,
    environment: Mapping[str, str] | None = None,
) -> GuardedProcess:
    """Start a program and return it once its readiness probe on 127.0.0.1 answers.

    Parameters
    ----------
    what
        The program, for messages.
    environment
        All its variables; absent: those of this process.

    Raises
    ------
    RuntimeError
        The program ended; the message holds the end of its log.
    """
    process = GuardedProcess(command, log_file=log_file, environment=environment)
    try:
        wait_until(lambda: _is_ready(probe_port), what=what, needs=[process.process], every=0.05)
    except WaitFailedError as error:
        process.kill()
        raise RuntimeError(f"{error}; its log ends:\n{log_file.read_text()[-_SHOWN:]}") from error
    return process


def _is_ready(port: int) -> bool:
    try:
        with DIRECT.open(f"http://127.0.0.1:{port}{READY_PATH}", timeout=10):
            return True
    except OSError:
        return False
