"""Places the graph of the map in three layers, from left to right: clients that write, topics, clients that read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from kwitness.console.index.database import Row
from kwitness.contracts.plain_text import plain_text

__all__ = ["Drawing", "Edge", "Node", "drawing"]

_WIDTH, _HEIGHT, _GAP = 236, 34, 10
_BETWEEN: Final = 120
_TOP: Final = 26
"""Above the nodes, for the headings of the layers."""
_LETTERS: Final = 30
_THINNEST, _THICKEST = 1.0, 9.0
_LAYERS: Final = ("writes", "topic", "reads")


@dataclass(frozen=True, slots=True)
class Node:
    """A client or topic, with the left upper corner of its box.

    Attributes
    ----------
    layer
        writes, topic or reads.
    name
        None for clients without a name.
    """

    layer: str
    name: str | None
    is_client: bool
    owner: str | None
    x: int
    y: int

    @property
    def label(self) -> str:
        """Its name, as far as it fits."""
        text = plain_text(self.name) if self.name else "no name"
        return text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"


class Edge(NamedTuple):
    """A line between two nodes: its path, width, and the flow that it is of."""

    path: str
    width: float
    flow: Row


class Drawing(NamedTuple):
    """Nodes and edges, and the size of all of them."""

    nodes: Sequence[Node]
    edges: Sequence[Edge]
    width: int
    height: int
    node_width: int = _WIDTH
    node_height: int = _HEIGHT


_Key = tuple[str, bool, str | None]


def _ends(flow: Row) -> tuple[_Key, _Key]:
    """Return the client and the topic of a flow."""
    return (flow["direction"], flow["is_client"], flow["name"]), ("topic", False, flow["topic"])


def _ordered(keys: Iterable[_Key], flows: Sequence[Row], places: dict[_Key, int]) -> list[_Key]:
    """Return clients by the mean place of their topics, so that few lines cross."""
    of_key: dict[_Key, list[int]] = {}
    for flow in flows:
        client, topic = _ends(flow)
        of_key.setdefault(client, []).append(places[topic])
    return sorted(keys, key=lambda key: sum(of_key[key]) / len(of_key[key]))


def drawing(flows: Sequence[Row]) -> Drawing:
    """Return the drawing of flows, which come with those of the most bytes first."""
    topics = list(dict.fromkeys(_ends(flow)[1] for flow in flows))
    places = {topic: place for place, topic in enumerate(topics)}
    clients = dict.fromkeys(_ends(flow)[0] for flow in flows)
    layers = {"topic": topics} | {
        layer: _ordered((key for key in clients if key[0] == layer), flows, places) for layer in ("writes", "reads")
    }
    owners = {_ends(flow)[0]: flow["owner"] for flow in flows}
    tallest = max((len(keys) for keys in layers.values()), default=0)
    nodes: dict[_Key, Node] = {}
    for number, layer in enumerate(_LAYERS):
        top = _TOP + (tallest - len(layers[layer])) * (_HEIGHT + _GAP) // 2
        for place, key in enumerate(layers[layer]):
            x, y = number * (_WIDTH + _BETWEEN), top + place * (_HEIGHT + _GAP)
            nodes[key] = Node(layer, key[2], key[1], owners.get(key), x, y)
    most = max((flow["bytes_per_s"] or 0 for flow in flows), default=0) or 1
    edges = [Edge(_path(nodes, flow), _width(flow["bytes_per_s"], most), flow) for flow in flows]
    height = _TOP + tallest * (_HEIGHT + _GAP)
    return Drawing([*nodes.values()], edges, 3 * _WIDTH + 2 * _BETWEEN, height)


def _width(bytes_per_s: float | None, most: float) -> float:
    """Return the width of a line: by the root of its bytes, so that small ones can be seen beside large ones."""
    return round(_THINNEST + (_THICKEST - _THINNEST) * math.sqrt((bytes_per_s or 0) / most), 1)


def _path(nodes: dict[_Key, Node], flow: Row) -> str:
    """Return the curve from the right side of the left node to the left side of the right one."""
    client, topic = (nodes[key] for key in _ends(flow))
    left, right = (client, topic) if flow["direction"] == "writes" else (topic, client)
    begin, end, middle = left.x + _WIDTH, right.x, (left.x + _WIDTH + right.x) // 2
    y_left, y_right = left.y + _HEIGHT // 2, right.y + _HEIGHT // 2
    return f"M{begin} {y_left}C{middle} {y_left} {middle} {y_right} {end} {y_right}"
