"""Waiting for what somebody else makes, with a word in the status and one line in the log."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

from kwitness.jobs.frame.status import StatusBoard

_LOG = logging.getLogger(__name__)


class MissingInputError(RuntimeError):
    """A job that may not wait lacks what another job or the operator makes."""


def wait_for(
    missing: Callable[[], Sequence[str]],
    message: Callable[[str], str],
    *,
    board: StatusBoard,
    stopping: threading.Event,
    seconds: float,
    may_wait: bool,
) -> bool:
    """Wait until nothing is missing; False once the driver is to stop.

    Parameters
    ----------
    missing
        Asked every so many `seconds`.
    message
        What the status says, from the names of what is missing, separated by commas.

    Raises
    ------
    MissingInputError
        Something is missing, and the job may not wait because others wait for its end.
    """
    said = None
    while names := missing():
        text = message(", ".join(names))
        if not may_wait:
            raise MissingInputError(f"{text}; it does not wait, since other jobs of this process come after it")
        board.change(reason="Starting", message=text)
        if text != said:
            _LOG.info("%s", text)
            said = text
        if stopping.wait(seconds):
            return False
    board.change(reason=None, message=None)
    return not stopping.is_set()
