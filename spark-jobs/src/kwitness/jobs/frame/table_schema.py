"""How the columns of a table that is there differ from those that a job writes. Pure, over Spark's types."""

from __future__ import annotations

from typing import NamedTuple

from pyspark.sql.types import ArrayType, DataType, MapType, StructType


class MissingField(NamedTuple):
    """A field that a job writes and a table lacks.

    Attributes
    ----------
    path
        Names from the column inwards, as `ALTER TABLE` has them: of the field b of an array v, `v`, `element`, `b`.
    """

    path: tuple[str, ...]
    kind: DataType
    comment: str | None

    @property
    def declared(self) -> str:
        """The field in SQL."""
        name = ".".join(f"`{part}`" for part in self.path)
        text = (self.comment or "").replace("\\", "\\\\").replace("'", "\\'")
        return f"{name} {self.kind.simpleString()}" + (f" COMMENT '{text}'" if text else "")


def missing_fields(there: StructType, wanted: StructType) -> list[MissingField]:
    """Fields that are `wanted` and not `there`, at any depth, in order."""
    return [field for field in _compared(there, wanted, ()) if isinstance(field, MissingField)]


def other_fields(there: StructType, wanted: StructType) -> list[str]:
    """Names, with dots, of fields that have another type in the table than the job writes."""
    return [name for name in _compared(there, wanted, ()) if isinstance(name, str)]


def _compared(there: DataType, wanted: DataType, path: tuple[str, ...]) -> list[MissingField | str]:
    match there, wanted:
        case StructType(), StructType():
            known = {field.name: field.dataType for field in there}
            found: list[MissingField | str] = []
            for field in wanted:
                inner = (*path, field.name)
                if field.name in known:
                    found += _compared(known[field.name], field.dataType, inner)
                else:
                    found.append(MissingField(inner, field.dataType, field.metadata.get("comment")))
            return found
        case ArrayType(), ArrayType():
            return _compared(there.elementType, wanted.elementType, (*path, "element"))
        case MapType(), MapType():
            keys = _compared(there.keyType, wanted.keyType, (*path, "key"))
            return keys + _compared(there.valueType, wanted.valueType, (*path, "value"))
        case _:
            return [] if there == wanted else [".".join(path)]
