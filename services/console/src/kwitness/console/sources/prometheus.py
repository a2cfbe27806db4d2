"""Queries Prometheus while a person waits for charts: for a short time, with bounded answers, which may be wrong."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import aiohttp

__all__ = ["ANSWER_BYTES", "LIMIT_S", "MOST_SERIES", "POINTS", "STEP_S", "Answer", "Prometheus", "Series"]

LIMIT_S: Final = 2
"""Seconds for all queries of a page."""
ANSWER_BYTES: Final = 524_288
"""Bytes of the answer to one query."""
MOST_SERIES: Final = 8
"""Series of one chart."""
POINTS: Final = 61
STEP_S: Final = 180
"""Seconds from a point to the next: three hours together."""
_REMEDY: Final = "check that --prometheus, or the Helm value console.prometheus, is a Prometheus"
_RANGE_PATH: Final = "/api/v1/query_range"
_CHUNK: Final = 65_536
_LONGEST_REASON: Final = 300


class Series(NamedTuple):
    """Labels of a series, and a value for each point; None where it has none."""

    labels: Mapping[str, str]
    values: Sequence[float | None]


class Answer(NamedTuple):
    """Series of one query, the number of those that are left out, and why there are none; None if they were read."""

    series: Sequence[Series]
    left_out: int = 0
    problem: str | None = None


class _UnusableError(Exception):
    """An answer that is none; the message is the end of a sentence."""


class Prometheus:
    """The HTTP API of a Prometheus, or of what answers as one does.

    Parameters
    ----------
    url
        Its address, before `/api/v1`.
    """

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")

    async def read(self, queries: Sequence[str], end_s: int) -> list[Answer]:
        """Return the answers to queries, at the same time; those that do not come within the limit have a problem.

        Parameters
        ----------
        end_s
            Time of the last point, in seconds since 1970.
        """
        timeout = aiohttp.ClientTimeout(total=LIMIT_S)
        async with aiohttp.ClientSession(
            timeout=timeout, auto_decompress=False, headers={"Accept-Encoding": "identity"}
        ) as session:
            return await asyncio.gather(*(self._answer(session, query, end_s) for query in queries))

    async def _answer(self, session: aiohttp.ClientSession, query: str, end_s: int) -> Answer:
        begin_s = end_s - (POINTS - 1) * STEP_S
        form = {"query": query, "start": str(begin_s), "end": str(end_s), "step": str(STEP_S)}
        try:
            async with session.post(f"{self.url}{_RANGE_PATH}", data=form, allow_redirects=False) as response:
                body = await _bounded(response)
            return _read(response.status, body, begin_s)
        except TimeoutError:
            problem = f"it did not answer within {LIMIT_S:g} s: show the page again, or run the query in Prometheus"
        except aiohttp.ClientError as error:
            problem = f"it cannot be reached ({type(error).__name__}): check --prometheus, and that it runs"
        except _UnusableError as error:
            problem = str(error)
        return Answer((), problem=problem)


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    """Return the body, up to the bound."""
    body = bytearray()
    async for chunk in response.content.iter_chunked(_CHUNK):
        body += chunk
        if len(body) > ANSWER_BYTES:
            raise _UnusableError(f"its answer has more than {ANSWER_BYTES:,} bytes: run the query in Prometheus")
    return bytes(body)


def _read(status: int, body: bytes, begin_s: int) -> Answer:
    """Return the series of an answer; nothing that it has is believed to have a form."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        raise _UnusableError(f"{status} and no JSON were answered: {_REMEDY}") from None
    if not isinstance(answer, dict) or answer.get("status") != "success":
        reason = str(answer.get("error", "") if isinstance(answer, dict) else "")[:_LONGEST_REASON]
        raise _UnusableError(f"it refused the query with {status}{f' ({reason})' if reason else ''}")
    try:
        result = answer["data"]["result"]
        series = [_series(item, begin_s) for item in result[:MOST_SERIES]]
        return Answer(series, max(0, len(result) - MOST_SERIES))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise _UnusableError(f"its answer has no series that can be read: {_REMEDY}") from None


def _series(item: Any, begin_s: int) -> Series:
    values: list[float | None] = [None] * POINTS
    for at_s, text in item["values"]:
        place, value = round((float(at_s) - begin_s) / STEP_S), float(text)
        if 0 <= place < POINTS and math.isfinite(value):
            values[place] = value
    return Series({str(name): str(value) for name, value in item["metric"].items()}, values)
