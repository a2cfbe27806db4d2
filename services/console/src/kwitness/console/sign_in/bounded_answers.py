"""Reads the answers of other servers up to a number of bytes."""

from __future__ import annotations

import json
from typing import Any

import aiohttp

__all__ = ["read_json"]

_CHUNK = 16 * 1024


async def read_json(answer: aiohttp.ClientResponse, most: int) -> dict[str, Any]:
    """Return the JSON object of an answer.

    Raises
    ------
    ValueError
        It has more than `most` bytes, or is no JSON object.
    """
    body = bytearray()
    async for chunk in answer.content.iter_chunked(_CHUNK):
        body += chunk
        if len(body) > most:
            raise ValueError(f"its answer has more than {most // 1024} KiB")
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError("its answer is not JSON") from error
    if not isinstance(value, dict):
        raise ValueError("its answer is not a JSON object")  # noqa: TRY004 - of the same kind as the others
    return value
