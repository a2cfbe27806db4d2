"""Files that others replace while we run: Secrets, ConfigMaps, projected tokens."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Generic, TypeVar

__all__ = ["ReloadingFile", "times_of_change"]

T = TypeVar("T")


def times_of_change(files: Iterable[str]) -> tuple[int, ...]:
    """When each file that is there was changed last, ns: another answer means that one of them is new or gone."""
    times: list[int] = []
    for file in files:
        with contextlib.suppress(OSError):
            times.append(Path(file).stat().st_mtime_ns)
    return tuple(times)


class ReloadingFile(Generic[T]):
    """The parsed content of a file, read again when the file has changed.

    Parameters
    ----------
    path
        The file; a kubelet replaces it by changing a symbolic link, so the link's target is compared too.
    parse
        From bytes to the value; its exceptions reach the caller of `current` only while there is no earlier good value.
    check_seconds
        Least seconds between two looks at the file system.
    """

    def __init__(self, path: Path, parse: Callable[[bytes], T], *, check_seconds: float = 1.0) -> None:
        self.path = path
        self._parse = parse
        self._check_seconds = check_seconds
        self._checked = float("-inf")
        self._seen: tuple[str, int, int] | None = None
        self._value: T | None = None
        self.failure: Exception | None = None

    def current(self) -> T:
        """Return the newest good value.

        Raises
        ------
        OSError, ValueError
            When the file was never read successfully.
        """
        now = time.monotonic()
        if now - self._checked >= self._check_seconds or self._value is None:
            self._checked = now
            try:
                self._refresh()
            except (OSError, ValueError) as error:
                # A half-written or bad file must not undo a good one; whoever reports health can look at `failure`.
                self.failure = error
                if self._value is None:
                    raise
        if self._value is None:
            raise ValueError(f"{self.path} holds nothing")
        return self._value

    def _refresh(self) -> None:
        target = os.path.realpath(self.path)
        state = Path(target).stat()
        seen = (target, state.st_mtime_ns, state.st_size)
        if seen != self._seen:
            self._value = self._parse(Path(target).read_bytes())
            self._seen = seen
        self.failure = None
