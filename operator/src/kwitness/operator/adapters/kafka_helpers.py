"""Describes Kafka clusters in helper processes of limited memory, so that no listener's answer ends the operator."""

from __future__ import annotations

import asyncio
import pickle
import sys
from typing import Final

from kwitness.operator.adapters.kafka_connection import KafkaConnection
from kwitness.operator.adapters.kafka_failures import answer_too_large
from kwitness.operator.model.cluster_description import ClusterDescription
from kwitness.operator.model.errors import OperatorError, TransientError

__all__ = ["KafkaHelpers"]

_MOST: Final = 2
"""Helpers at once, which the chart's memory limit counts."""

_SECONDS: Final = 60.0
"""A helper's time for a cluster, its start included."""

_PROGRAM: Final = "kwitness.operator.adapters.kafka_helper_program"


class KafkaHelpers:
    """Starts one helper for each description, and at most two at once."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(_MOST)

    async def describe(
        self, connection: KafkaConnection, topics: tuple[str, ...], listeners: tuple[str, ...]
    ) -> ClusterDescription:
        """Return the result of `kafka_admin.describe` in a process of its own.

        Raises
        ------
        OperatorError
            That of the description; AnswerTooLarge where the helper used up its memory, or was killed for it.
        """
        async with self._places:
            written, code = await _run(pickle.dumps((connection, topics, listeners)))
        if code < 0:
            raise answer_too_large()
        if code > 0:
            raise RuntimeError(f"the helper process ended with {code}: its traceback is in the operator's log")
        # A helper is this program, with the operator's own permissions.
        answer: ClusterDescription | OperatorError = pickle.loads(written)  # noqa: S301
        if isinstance(answer, OperatorError):
            raise answer
        return answer


async def _run(call: bytes) -> tuple[bytes, int]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", _PROGRAM, stdin=pipe, stdout=pipe)
    try:
        async with asyncio.timeout(_SECONDS):
            written, _ = await process.communicate(call)
            return written, await process.wait()
    except TimeoutError as error:
        raise TransientError("Unreachable", f"the cluster was not described within {_SECONDS:g} s") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
