"""Reads a connection from stdin, describes the Kafka cluster, and writes the description or the error to stdout."""

from __future__ import annotations

import logging
import os
import pickle
import re
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from kwitness.operator.adapters.kafka_admin import describe
from kwitness.operator.adapters.kafka_failures import answer_too_large
from kwitness.operator.model.cluster_description import ClusterDescription
from kwitness.operator.model.errors import OperatorError

_MOST_BYTES: Final = 96 * 1024 * 1024
"""Of data, of which the program itself has 32 MiB."""

_MOST_ANSWER: Final = 4 * 1024 * 1024
"""Bytes of a description, which the operator holds as long as the KafkaCluster exists."""

_SECONDS: Final = 60
"""The program ends by itself where the operator was killed."""


def main() -> int:
    """Return 0 once something is written, 1 where the operator ended first; unexpected exceptions end the program."""
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_BYTES, _MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(_SECONDS)
    # The library's own, which say of a failure what the error says.
    logging.disable()
    try:
        connection, topics, listeners = pickle.load(sys.stdin.buffer)  # noqa: S301 - the operator wrote it
    except (EOFError, pickle.UnpicklingError):
        # It was killed before it had written all.
        return 1
    answer: ClusterDescription | OperatorError
    try:
        answer = describe(connection, topics, listeners)
    except Exception as error:
        # The library turns most failures to get memory into a lost connection.
        if _used_up():
            answer = answer_too_large()
        elif isinstance(error, OperatorError):
            answer = error
        else:
            raise
    written = pickle.dumps(answer)
    if len(written) > _MOST_ANSWER:
        written = pickle.dumps(answer_too_large())
    # The operator may have been killed; Python's own stdout would say so once more at the end.
    with suppress(BrokenPipeError), os.fdopen(1, "wb") as stdout:
        stdout.write(written)
    return 0


def _used_up() -> bool:
    # Not by getrusage, whose peak includes that of the program that started this one.
    peak = re.search(r"^VmHWM:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    return peak is not None and int(peak[1]) * 1024 > _MOST_BYTES * 2 // 3


if __name__ == "__main__":
    sys.exit(main())
