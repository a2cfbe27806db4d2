"""Logs as JSON lines on standard error, with the field names of the other components."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

from typing_extensions import override


class _JsonFormatter(logging.Formatter):
    @override
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)


def log_as_json(level: int = logging.INFO) -> None:
    """Send this process's log to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonFormatter())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for noisy in ("py4j", "pyspark"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    # An error of a batch is the stream's, which the driver reports; where the stream was stopped it is none.
    logging.getLogger("py4j.clientserver").setLevel(logging.CRITICAL)
