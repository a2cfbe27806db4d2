"""What takes long says so, on standard error of a terminal alone."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["working"]


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show ``what`` is going on, until the block ends; into a file or a pipe nothing is written."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    from rich.console import Console  # noqa: PLC0415 - a tenth of a second, which who does not look need not wait

    with Console(stderr=True, no_color=True).status(what, spinner="line"):
        yield
