"""Settings of the C library's malloc, so that it returns memory that is not used; measured in docs/benchmarks.md."""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Final

_ARENAS: Final = -8
"""glibc's ``M_ARENA_MAX``: threads of gRPC and Kafka would otherwise get a region of 64 MiB each."""
_TRIM_THRESHOLD: Final = -1
_TOP_PAD: Final = -2
_MMAP_THRESHOLD: Final = -3
_BLOCK: Final = 64 * 1024
"""From this size on blocks are returned at once; glibc would raise its own limit after the first large body."""


def _library() -> Any:
    library = ctypes.CDLL(None)
    # Other C libraries, such as musl, have neither function and need neither.
    return library if sys.platform == "linux" and hasattr(library, "malloc_trim") else None


def limit_arenas() -> None:
    """Let all threads share two regions and return large blocks at once; call before threads are made."""
    if (library := _library()) is not None:
        library.mallopt(_ARENAS, 2)
        library.mallopt(_MMAP_THRESHOLD, _BLOCK)
        library.mallopt(_TRIM_THRESHOLD, _BLOCK)
        library.mallopt(_TOP_PAD, _BLOCK // 4)


def trim() -> None:
    """Return free pages to the system; a few milliseconds."""
    if (library := _library()) is not None:
        library.malloc_trim(0)
