"""`python -m kwitness.devtools.suite.measured COMMAND...`: runs a command and adopts the orphans that it leaves.

The processor time of everything that the command starts can then be added up below one process, without privileges
and control groups. Ends with the command's exit status; what it left running goes on.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from typing import Final

ROOT_VARIABLE: Final = "KWITNESS_CPU_ROOT"
"""Names, for the command, the process below which everything is."""
_SET_CHILD_SUBREAPER: Final = 36
"""`PR_SET_CHILD_SUBREAPER` of prctl(2)."""
_FORWARDED: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main(command: Sequence[str]) -> int:
    """Run the command; the exit status is the command's, or 128 and the number of the signal that ended it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER): is this Linux?")
    environment = {**os.environ, ROOT_VARIABLE: str(os.getpid())}
    child = os.posix_spawnp(command[0], list(command), environment)
    for number in _FORWARDED:
        signal.signal(number, lambda received, _frame: os.kill(child, received))
    while True:
        ended, status = os.wait()
        if ended == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
