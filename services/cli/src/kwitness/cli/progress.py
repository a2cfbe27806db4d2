"""What takes long says so, on standard error of a terminal alone."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["working"]

_LONG_S: Final = 0.5
"""What is done by then was not long."""


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show ``what`` is going on, until the block ends; into a file or a pipe nothing is written."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    from rich.console import Console  # noqa: PLC0415 - a tenth of a second, which who does not look need not wait

    status = Console(stderr=True, no_color=True).status(what, spinner="line")
    timer = threading.Timer(_LONG_S, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
