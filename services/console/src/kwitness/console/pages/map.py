"""Map: bytes between owners and topics as a matrix, and the graph around one of its cells, a client or a topic."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from kwitness.console.index.database import Row
from kwitness.console.pages.graph_drawing import Node, drawing
from kwitness.console.pages.lines import (
    BYTES,
    Line,
    application_options,
    label,
    literal,
    options_text,
    pattern,
    sql_line,
)
from kwitness.console.pages.names import in_query, link_of
from kwitness.console.pages.page import Page, Requested
from kwitness.console.pages.past_lines import past_lines
from kwitness.console.rows.fleet import FleetView
from kwitness.console.rows.map import MOST_COLUMNS, MOST_ROWS, PREFIX, Cell, MapView, Matrix, matrix
from kwitness.console.rows.names import name_of
from kwitness.console.rows.neighbours import neighbours

__all__ = ["MAP", "SHADES", "SumRow"]

_PATH: Final = "/map"
SHADES: Final = 5
"""Parts of the same number of cells, by their bytes."""
_NAMES: Final = {
    "owner": ("owner", "members"),
    "application": ("application", "members"),
    "client": ("client_id", "members"),
    "prefix": (PREFIX, "topics"),
    "topic": ("topic", "topics"),
}
"""Columns and tables of the names in an address."""


class SumRow(NamedTuple):
    """A row of the matrix; `name` is None for clients without it, and `others` counts those of the last row."""

    name: str | None
    address: str
    others: int
    cells: Sequence[tuple[Cell | None, int, str]]
    bytes_per_s: float | None


def _values(requested: Requested) -> dict[str, Any]:
    view = MapView.read(requested.query, orders=())
    database, past = requested.database, requested.past
    shared = {
        "view": view,
        "matrix_address": MapView(by=view.by, direction=view.direction).address(_PATH),
        "observers": database.row("SELECT count(*) AS number FROM observers")["number"],
    }
    if not view.is_graph:
        lines = past_lines(past, f"owner, {PREFIX} AS beginning", {}) if past else _MATRIX_LINES
        return {**shared, **_matrix_values(matrix(database, view), view), "lines": lines}
    named: dict[str, Any] = {
        field: name_of(database, getattr(view, field), column, table)
        for field, (column, table) in _NAMES.items()
        if getattr(view, field)
    }
    view = replace(view, **named)
    near = neighbours(database, view)
    return {
        **shared,
        "view": view,
        "near": near,
        "drawing": drawing(near.flows),
        "address_of": _address_of_node,
        "page_of": _page_of_client,
        "lines": past_lines(past, "owner, client_id, topic", _equal(view)) if past else _graph_lines(view),
    }


def _matrix_values(found: Matrix, view: MapView) -> dict[str, Any]:
    """Return rows with their cells, shades, addresses and sums; the last row and column are all others."""
    places = [*range(len(found.columns)), *([MOST_COLUMNS] if found.other_columns else [])]
    shades = _shades(cell for place, cell in found.cells.items() if place[0] < MOST_ROWS and place[1] < MOST_COLUMNS)

    def row(place: int, name: str | None, others: int) -> SumRow:
        of_row: dict[str, Any] = {view.row_column: in_query(name)} if name is not None else {"without": view.row_column}
        cells: list[tuple[Cell | None, int, str]] = []
        for column in places:
            cell = found.cells.get((place, column))
            is_linked = cell is not None and not others and column < MOST_COLUMNS
            address = view.address(_PATH, **of_row, prefix=in_query(found.columns[column])) if is_linked else ""
            cells.append((cell, shades.get(cell, 0) if is_linked and cell else 0, address))
        address = "" if others else view.address(_PATH, **of_row)
        return SumRow(name, address, others, cells, _sum(cell for cell, _, _ in cells))

    rows = [row(place, name, 0) for place, name in enumerate(found.names)]
    if found.other_names:
        rows.append(row(MOST_ROWS, None, found.other_names))
    columns = [
        (prefix, topics, view.address(_PATH, prefix=in_query(prefix)))
        for prefix, topics in zip(found.columns, found.topics, strict=True)
    ]
    return {
        "rows": rows,
        "columns": columns,
        "other_columns": found.other_columns,
        "shades": SHADES,
        "column_sums": [_sum(row.cells[number][0] for row in rows) for number in range(len(places))],
        "written": sum(cell.written or 0 for cell in found.cells.values()),
        "read": sum(cell.read or 0 for cell in found.cells.values()),
    }


def _sum(cells: Iterable[Cell | None]) -> float | None:
    known = [cell.bytes_per_s for cell in cells if cell is not None and cell.bytes_per_s is not None]
    return sum(known) if known else None


def _shades(cells: Iterable[Cell]) -> dict[Cell, int]:
    """Return a shade for each number of bytes, from 1 to `SHADES`."""
    ordered = sorted((cell for cell in cells if cell.bytes_per_s), key=lambda cell: cell.bytes_per_s or 0)
    return {cell: 1 + SHADES * place // len(ordered) for place, cell in enumerate(ordered)}


def _address_of_node(node: Node) -> str:
    """Return the address of the graph around a node; a client without a name has none."""
    if node.name is None:
        return ""
    kind = "topic" if node.layer == "topic" else "client" if node.is_client else "application"
    named: dict[str, Any] = {kind: in_query(node.name)}
    return MapView(**named).address(_PATH)


def _page_of_client(flow: Row) -> str:
    """Return the address of the page of a client id, or that of an application's client ids."""
    if flow["is_client"]:
        return link_of("clients", flow["name"])
    return FleetView(by="client", application=flow["name"] or "").address("/")


_MATRIX_LINES: Final = (
    Line("kwitness", "kwitness topics '*' --limit 1000000", "what each client does with each topic, and its owner"),
    Line("kubectl", "kubectl get kafkatopics --all-namespaces", "topics that Strimzi keeps"),
    Line("PromQL", f"topk(100, sum by (principal, topic, api) (rate({BYTES}[5m])))", "bytes by principal and topic"),
    sql_line(
        f"SELECT owner, {PREFIX} AS beginning, api, sum(bytes) AS bytes FROM traffic "
        "WHERE kind = 'partition' GROUP BY ALL ORDER BY bytes DESC",
        "tables",
        "the same of an earlier time",
    ),
)


def _equal(view: MapView) -> dict[str, str]:
    """Return columns of Traffic with the values that a graph is around."""
    return {"owner": view.owner, "client_id": view.client, "topic": view.topic}


def _graph_lines(view: MapView) -> Sequence[Line]:
    topics = view.topic or (f"{pattern(view.prefix).removesuffix('*')}*" if view.prefix else "*")
    options = {"--owner": view.owner, "--client-id": view.client, **application_options(view.application)}
    labels = [label(name, value) for name, value in (("client_id", view.client), ("topic", view.topic)) if value]
    equal = _equal(view)
    conditions = ["kind = 'partition'", *(f"{column} = {literal(value)}" for column, value in equal.items() if value)]
    return (
        Line(
            "kwitness",
            f"kwitness topics {shlex.quote(pattern(topics))}{options_text(options)}",
            "what its clients do with topics" if not view.topic else "clients of the topic",
        ),
        Line(
            "PromQL",
            f"sum by (principal, client_id, topic, api) (rate({BYTES}{{{', '.join(labels)}}}[5m]))",
            "bytes by client and topic",
        ),
        sql_line(
            "SELECT owner, client_id, api, topic, sum(bytes) AS bytes FROM traffic "
            f"WHERE {' AND '.join(conditions)} GROUP BY ALL ORDER BY bytes DESC",
            "tables",
            "the same of an earlier time",
        ),
    )


MAP: Final = Page(_PATH, "map", "map.html", ("traffic",), _values, title="Map", has_past=True)
