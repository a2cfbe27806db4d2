"""Runs the two stages of `make demo`: a first look without Kubernetes, and beside it the platform."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

from kwitness.sandbox.guarded_process import GuardedProcess

TRY_COMMAND: Final = (sys.executable, "-m", "kwitness.demo.first_contact")
ROOT: Final = Path(__file__).resolve().parents[4]
"""The checkout."""
_TITLE: Final = "First look: a broker, a collector and clients as processes of this machine"
_EVERY_S: Final = 0.2


def run_stages(commands: Sequence[Sequence[str]], *, sandbox: Sequence[str]) -> int:
    """Show the first look and leave it open while commands run one after the other; the exit status.

    Parameters
    ----------
    commands
        `{sandbox}` in an argument becomes the process id of the first look, 0 where none runs.
    sandbox
        Program and arguments, but for `--log`; empty for none.
    """
    signal.signal(signal.SIGTERM, _end)
    try:
        with _shown(sandbox) as process_id:
            for command in commands:
                if status := _run([argument.replace("{sandbox}", str(process_id)) for argument in command]):
                    return status
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


@contextlib.contextmanager
def _shown(command: Sequence[str]) -> Iterator[int]:
    """Start the first look, wait until its tables are printed, and end it with the block."""
    if not command:
        yield 0
        return
    with tempfile.TemporaryDirectory(prefix="kwitness-demo-") as folder:
        log = Path(folder) / "log"  # exists once the tables are there
        print(f"{_TITLE}\n{'=' * len(_TITLE)}", flush=True)
        process = GuardedProcess([*command, "--log", str(log)])
        try:
            while process.running and not log.exists():
                time.sleep(_EVERY_S)
            if process.running:
                print("\nIt stays open while the platform is built.\n", flush=True)
            else:
                print("\nThe first look failed; the platform needs nothing of it.\n", flush=True)
            yield process.process.pid if process.running else 0
        finally:
            process.stop()


def _run(command: Sequence[str]) -> int:
    process = subprocess.Popen(command, cwd=ROOT)
    try:
        return process.wait()
    except KeyboardInterrupt:
        # A terminal sends it to both, `kill` to this process alone.
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(KeyboardInterrupt):
            process.wait()
        raise
    except SystemExit:
        process.terminate()
        raise


def _end(number: int, _: FrameType | None) -> NoReturn:
    sys.exit(128 + number)
