"""Answers with the files that browsers load: styles, scripts and the icon, which are read once."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib.resources import files
from typing import Final, NamedTuple

from aiohttp import web

__all__ = ["static_route"]

_KINDS: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
"""Media types by the end of a name; other files of the folder are not sent."""
_HOUR_S: Final = 3_600


class _File(NamedTuple):
    kind: str
    body: bytes


def static_route() -> web.RouteDef:
    """Return the route of all files; requests choose by name, never by path."""
    return web.get("/static/{name}", functools.partial(_answer, _known_files()))


def _known_files() -> Mapping[str, _File]:
    folder = files("kwitness.console") / "static"
    return {
        file.name: _File(kind, file.read_bytes())
        for file in folder.iterdir()
        if (kind := _KINDS.get(f".{file.name.rpartition('.')[2]}"))
    }


async def _answer(known: Mapping[str, _File], request: web.Request) -> web.Response:
    found = known.get(request.match_info["name"])
    if found is None:
        raise web.HTTPNotFound
    response = web.Response(body=found.body, content_type=found.kind, charset="utf-8")
    response.headers["Cache-Control"] = f"private, max-age={_HOUR_S}"
    response.enable_compression()
    return response
