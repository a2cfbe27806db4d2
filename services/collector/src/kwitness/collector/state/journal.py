"""Pushes taken since the last snapshot, appended before they are answered, so that even `kill -9` loses no count.

A frame is: length and CRC-32 of the body (big-endian, 4 bytes each), then the body: one line of JSON, then the payload.
The first frame says the format's number; journals of the first format have none, and are read.
"""

from __future__ import annotations

import dataclasses
import errno
import json
import logging
import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kwitness.collector.events import Event

_LOG = logging.getLogger(__name__)
_FRAME: Final = struct.Struct(">II")
MAX_BYTES: Final = 64 * 1024 * 1024
"""Size at which a snapshot is due before its time."""
_MAX_FRAME: Final = 128 * 1024 * 1024
FORMAT: Final = 2


class UnknownFormatError(ValueError):
    """The journal is of a later version."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An event taken at ``at_ms``, in milliseconds since 1970."""

    at_ms: int
    event: Event


class Journal:
    """The file being appended to. A disk that is full costs counts after a crash, never a push: it is noted only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self.trouble: str | None = None
        self._file: int | None = None
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            self._give_up(error)
            return
        if not os.fstat(self._file).st_size:
            self._write(_framed(json.dumps({"format": FORMAT}).encode() + b"\n"))

    def append(self, entries: Iterable[Entry]) -> None:
        """Write entries; they survive the process once this returns, the machine a little later."""
        self._write(b"".join(_frame(entry) for entry in entries))

    def _write(self, data: bytes) -> None:
        if self._file is None:
            return
        try:
            written = os.write(self._file, data)
        except OSError as error:
            self._give_up(error)
        else:
            if written < len(data):  # what came after the torn entry could not be read
                self._give_up(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
        self.size += len(data)

    def _give_up(self, error: OSError) -> None:
        self.trouble = f"{self.path}: {error.strerror}"
        _LOG.error("cannot keep a journal; a crash now loses counts", extra={"detail": self.trouble})
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _frame(entry: Entry) -> bytes:
    event = entry.event
    head: list[object] = [
        entry.at_ms,
        event.source,
        event.epoch,
        event.seq,
        event.received_at_ms,
        dict(event.identity),
        event.push_interval_ms,
        event.terminating,
    ]
    if event.filtered or event.known_as is not None or event.content is not None:
        # What the identity was before is for memory alone.
        head += [event.known_as, sorted(event.treated) if event.filtered else None, event.content]
    return _framed(json.dumps(head).encode() + b"\n" + event.payload)


def _framed(body: bytes) -> bytes:
    return _FRAME.pack(len(body), zlib.crc32(body)) + body


def read(path: Path) -> Iterator[Entry]:
    """Yield the intact entries from the start of a journal; a torn or damaged tail ends it.

    Raises
    ------
    UnknownFormatError
        If a later version wrote it.
    """
    try:
        with path.open("rb") as file:
            while head := file.read(_FRAME.size):
                if len(head) < _FRAME.size:
                    return
                size, checksum = _FRAME.unpack(head)
                body = file.read(size) if size <= _MAX_FRAME else b""
                if len(body) != size or zlib.crc32(body) != checksum:
                    _LOG.warning("the journal's tail is damaged and left out", extra={"path": str(path)})
                    return
                entry = _entry(body)
                if entry is not None:
                    yield entry
    except FileNotFoundError:
        return


def _entry(body: bytes) -> Entry | None:
    line, _, payload = body.partition(b"\n")
    head = json.loads(line)
    if isinstance(head, dict):
        if head.get("format") != FORMAT:
            raise UnknownFormatError(f"format {head.get('format')}, where {FORMAT} is read")
        return None
    at_ms, *rest = head
    if not rest:  # a scrape, which earlier versions noted
        return None
    source, epoch, seq, received_at_ms, identity, interval, terminating, *more = rest
    event = Event(source, epoch, seq, received_at_ms, identity, payload, interval, terminating)
    if more:
        known_as, treated, content = (*more, None)[:3]
        event = dataclasses.replace(
            event,
            filtered=treated is not None,
            known_as=known_as,
            treated=frozenset(treated or ()),
            content=content,
        )
    return Entry(at_ms, event)
