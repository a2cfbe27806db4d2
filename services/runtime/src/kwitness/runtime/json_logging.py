"""Log lines as JSON objects: the message says what happened, fields say which. Nothing is logged per record."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from types import TracebackType
from typing import Any, Final

from typing_extensions import override

__all__ = ["JsonFormatter", "configure_logging"]

_STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

_PLAIN: Final = (str, int, float, bool, list, tuple)

_QUIET: Final = ("kafka", "kopf", "aiohttp.access", "asyncio")
"""Libraries held at WARNING whatever was asked.

kafka-python writes passwords at DEBUG (kafka/net/connection.py of 3.0.12).
"""


class JsonFormatter(logging.Formatter):
    """One line per record: ``time`` (UTC), ``level``, ``logger``, ``message`` and whatever ``extra`` held."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        """Render the record; values that JSON does not know become their text."""
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, Any] = {
            "time": f"{seconds}.{int(record.msecs):03d}Z",
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        # Libraries hang whole objects on their records; only plain values are fields.
        fields = {key: value for key, value in vars(record).items() if key not in _STANDARD}
        line.update({key: value for key, value in fields.items() if isinstance(value, _PLAIN)})
        if record.exc_info and record.exc_info[0] is not None:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str, ensure_ascii=False)


def configure_logging(level: str) -> None:
    """Send everything from ``level`` (INFO, ...) up to standard output as JSON lines.

    Warnings and exceptions that nobody caught, wherever they are raised, come there too: nothing is written plain.
    """
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.captureWarnings(capture=True)
    sys.excepthook = lambda kind, error, trace: _uncaught("main thread", kind, error, trace)
    threading.excepthook = lambda found: _uncaught(
        found.thread.name if found.thread else "thread", found.exc_type, found.exc_value, found.exc_traceback
    )
    sys.unraisablehook = lambda found: _uncaught(
        f"{found.object!r}", found.exc_type, found.exc_value, found.exc_traceback
    )


def _uncaught(where: str, kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
    if issubclass(kind, (KeyboardInterrupt, SystemExit)):
        return
    found = (kind, error or kind(), trace)
    logging.getLogger(__name__).error("An exception that nobody caught", exc_info=found, extra={"where": where})
