"""Removes a principal from tables: its rows, and its name in rows of others. See docs/decisions/0091."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from kwitness.answers.failure import CommandFailedError
from kwitness.answers.tables.delta_tables import dataset_of, open_table

_PRINCIPAL = "principal"
_LIST = "principals"
_OF_OTHERS = f"_{_PRINCIPAL}"
"""How columns end that name a principal in a row of something else."""
_QUARANTINE = {"topic", "partition", "offset", "timestamp_ms", "key_base64", "headers", "value_base64"}
"""Columns by which the table of records that could not be used is known."""
_TRIES = 5
_ROWS_OF_A_PREDICATE = 200


class Mention(NamedTuple):
    """Where a table names a principal.

    Attributes
    ----------
    column
        Of the table.
    path
        Fields from the column down to the name; the column alone where it is the name.
    kind
        `row` where the row is the principal's; else what is emptied of it: `fields`, a `struct` or a `list`.
    emptied
        The columns that become null with it; of a list its own.
    """

    column: str
    path: tuple[str, ...]
    kind: str
    emptied: tuple[str, ...]


class Forgotten(NamedTuple):
    """Rows that were removed, or would be, and rows of which a field was emptied."""

    removed: int
    emptied: int


def mentions(schema: Any) -> list[Mention]:
    """Return where tables of a `pyarrow.Schema` name principals.

    Raises
    ------
    CommandFailedError
        It names them where they cannot be removed by this version.
    """
    found = []
    for field in schema:
        for path, kind in _names(field):
            if kind is None:
                raise CommandFailedError(
                    f"{'.'.join(path)} holds principals in a form that this version does not know: upgrade kwitness, "
                    "or remove the table"
                )
            found.append(Mention(field.name, path, kind, _emptied_with(schema, field.name, kind)))
    return found


def count(path: str, principal: str) -> Forgotten:
    """Return what `forget` would do to a table."""
    table = open_table(path)
    dataset = dataset_of(table)
    if set(dataset.schema.names) >= _QUARANTINE:
        return Forgotten(len(_quarantined(dataset, principal)), 0)
    places = mentions(dataset.schema)
    of_rows = [one for one in places if one.kind == "row"]
    removed = sum(dataset.count_rows(filter=_equal(one, principal)) for one in of_rows)
    emptied = sum(_emptied(dataset, one, of_rows, principal) for one in places if one.kind != "row")
    return Forgotten(removed, emptied)


def forget(path: str, principal: str) -> Forgotten:
    """Remove a principal from a table; the files of older versions keep it.

    Raises
    ------
    CommandFailedError
        Somebody else changed the same rows each time that it was tried.
    """
    # Counted at each step, by what Delta says it did: a job may write meanwhile.
    schema = dataset_of(open_table(path)).schema
    if set(schema.names) >= _QUARANTINE:
        return Forgotten(_forget_quarantined(path, principal), 0)
    removed = emptied = 0
    text = _quoted(principal)
    for one in mentions(schema):
        where = _sql(one.path)
        if one.kind == "row":
            removed += _delete(path, f"{where} = {text}")
        elif one.kind == "list":
            change = {one.column: f"array_remove_all({one.column}, {text})"}
            emptied += _update(path, change, f"array_has({one.column}, {text})")
        else:
            emptied += _update(path, dict.fromkeys(one.emptied, "NULL"), f"{where} = {text}")
    return Forgotten(removed, emptied)


def vacuum(path: str) -> int:
    """Remove the files that versions before the present one had; return how many.

    Files that a job is about to commit stay: only those that the table's log says were removed go.
    """
    return len(open_table(path).vacuum(retention_hours=0, dry_run=False, enforce_retention_duration=False))


def _names(field: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str | None]]:
    import pyarrow as pa  # noqa: PLC0415

    path = (*above, field.name)
    if pa.types.is_struct(field.type):
        for inner in field.type:
            yield from _names(inner, path)
    elif pa.types.is_list(field.type) or pa.types.is_large_list(field.type) or pa.types.is_map(field.type):
        within: Any = field.type.item_field if pa.types.is_map(field.type) else field.type.value_field
        if field.name == _LIST and not above and pa.types.is_string(within.type):
            yield path, "list"
        elif field.name in {_LIST, _PRINCIPAL} or any(True for _ in _names(within)):
            yield path, None
    elif field.name == _PRINCIPAL:
        yield path, "struct" if above else "row"
    elif field.name.endswith(_OF_OTHERS) and not above:
        yield path, "fields"


def _emptied_with(schema: Any, column: str, kind: str) -> tuple[str, ...]:
    """What says who it was: of `last_fetched_principal` all texts that begin with `last_fetched_`, not when it was."""
    import pyarrow as pa  # noqa: PLC0415

    if kind != "fields":
        return (column,)
    prefix = column.removesuffix(_PRINCIPAL)
    return tuple(one.name for one in schema if one.name.startswith(prefix) and pa.types.is_string(one.type))


def _equal(place: Mention, principal: str) -> Any:
    import pyarrow.compute as pc  # noqa: PLC0415

    return pc.field(*place.path) == principal


def _emptied(dataset: Any, place: Mention, of_rows: Sequence[Mention], principal: str) -> int:
    """Rows that stay and name the principal."""
    columns = [place.column, *(one.column for one in of_rows)]
    number = 0
    for batch in dataset.to_batches(columns=columns):
        for row in batch.to_pylist():
            value: Any = row[place.column]
            for name in place.path[1:]:
                value = value and value[name]
            named = principal in (value or ()) if place.kind == "list" else value == principal
            number += named and all(row[one.column] != principal for one in of_rows)
    return number


def _quarantined(dataset: Any, principal: str) -> list[dict[str, Any]]:
    """Keys of records that have the name in what is kept of them, in bytes or as JSON writes it."""
    import json  # noqa: PLC0415

    wanted = {principal.encode(), json.dumps(principal)[1:-1].encode()}
    found = []
    for batch in dataset.to_batches(columns=sorted(_QUARANTINE)):
        for row in batch.to_pylist():
            kept = [row["key_base64"], row["value_base64"], *(one["value_base64"] for one in row["headers"] or ())]
            if any(name in base64.b64decode(one) for one in kept if one for name in wanted):
                found.append(row)
    return found


def _forget_quarantined(path: str, principal: str) -> int:
    rows = _quarantined(dataset_of(open_table(path)), principal)
    removed = 0
    for start in range(0, len(rows), _ROWS_OF_A_PREDICATE):
        chosen = rows[start : start + _ROWS_OF_A_PREDICATE]
        removed += _delete(
            path,
            " OR ".join(
                f"(topic = {_quoted(one['topic'])} AND partition = {one['partition']} AND offset = {one['offset']} "
                f"AND timestamp_ms = {one['timestamp_ms']})"
                for one in chosen
            ),
        )
    return removed


def _delete(path: str, predicate: str) -> int:
    return int(_committed(path, lambda table: table.delete(predicate))["num_deleted_rows"] or 0)


def _update(path: str, change: dict[str, str], predicate: str) -> int:
    return int(_committed(path, lambda table: table.update(change, predicate=predicate))["num_updated_rows"] or 0)


def _committed(path: str, change: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    from deltalake.exceptions import CommitFailedError  # noqa: PLC0415

    for _ in range(_TRIES):
        try:
            return change(open_table(path))
        except CommitFailedError:
            # A job wrote the same files meanwhile: the change is made again upon what it wrote.
            continue
    raise CommandFailedError(
        f"a job writes {path} at the same time, each of {_TRIES} times: suspend it (spec.suspend), and try again"
    )


def _sql(path: tuple[str, ...]) -> str:
    return path[0] + "".join(f"['{name}']" for name in path[1:])


def _quoted(text: str) -> str:
    escaped = text.replace("'", "''")
    return f"'{escaped}'"
