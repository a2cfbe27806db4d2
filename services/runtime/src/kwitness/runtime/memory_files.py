"""Texts that a library wants as files and that belong on no disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["in_memory"]


@contextmanager
def in_memory(text: str) -> Iterator[str]:
    """Lend a path under which ``text`` can be read as a file, for as long as the context lasts."""
    # ssl reads certificates from files only; the pod's file system is read-only and a key belongs on no disk.
    descriptor = os.memfd_create("kwitness-pem")
    try:
        os.write(descriptor, text.encode())
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)
