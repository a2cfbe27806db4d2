"""Runs the console beside a published session, which it finds as a command in another terminal does."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

from kwitness.sandbox.guarded_process import GuardedProcess
from kwitness.sandbox.waiting import WaitFailedError, wait_until

__all__ = ["Console"]

_ENTRANCE: Final = re.compile(r"^ +(http://127\.0\.0\.1:\d+/\S+)$", re.MULTILINE)
_SHOWN: Final = 3000
"""Characters of a log."""


class Console:
    """A console of its own process, which opens no browser.

    Parameters
    ----------
    log_file
        Receives its output, of which the entrance is a part: a file in a folder of this user alone.
    """

    def __init__(self, log_file: Path) -> None:
        self._log = log_file
        self.process = GuardedProcess([sys.executable, "-m", "kwitness.console", "--no-browser"], log_file=log_file)

    def entrance(self) -> str:
        """Wait until pages are served, and return the address that lets one browser in.

        Raises
        ------
        RuntimeError
            The console ended; the message holds the end of its log.
        """
        try:
            found = wait_until(
                lambda: _ENTRANCE.findall(self._log.read_text()), what="the console", needs=[self.process.process]
            )
        except WaitFailedError as error:
            raise RuntimeError(f"{error}; its log ends:\n{self._log.read_text()[-_SHOWN:]}") from error
        return str(found[0])
