"""Describes questions over HTTP: what each noun's items are, and which of their fields select and order them.

All nouns have the same parameters. A field of `Noun.filters` selects items by its value, or by how it begins where the
value ends with `*`; `fields` names the fields of the answer, `order` the field that items are ordered by, descending
with a `-` before it, `limit` how many items there are at most, `continue` the page before. `since` lists changes alone,
where a noun has them. `contracts/vectors/questions.json` holds examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from pydantic import BaseModel

__all__ = ["DEFAULT_LIMIT", "MAX_LIMIT", "InvalidQuestionError", "Noun", "Order", "Question"]

DEFAULT_LIMIT: Final = 100
MAX_LIMIT: Final = 1_000
_SHAPE: Final = ("fields", "order", "limit", "continue", "local")
_DIGITS: Final = 6
_SHOWN: Final = 64
"""Characters of a parameter that an error repeats."""


class InvalidQuestionError(ValueError):
    """A parameter is not valid.

    Attributes
    ----------
    reason
        BadParameter, BadFields, BadOrder, BadLimit or BadSince.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Order(NamedTuple):
    """The field that items are ordered by."""

    field: str
    descending: bool

    @property
    def text(self) -> str:
        """The parameter that requests it."""
        return f"-{self.field}" if self.descending else self.field


class Question(NamedTuple):
    """Parameters of one request.

    ``fields`` is empty where all are requested, ``order`` None where items are ordered by their key, and ``since`` None
    where all items are requested, not changes alone.
    """

    filters: Mapping[str, str] = MappingProxyType({})
    fields: tuple[str, ...] = ()
    order: Order | None = None
    limit: int = DEFAULT_LIMIT
    after: str = ""
    since: str | None = None


@dataclass(frozen=True, slots=True)
class Noun:
    """One path and its items.

    Attributes
    ----------
    path
        The path of the request.
    item
        The model of an item.
    filters, orders
        Fields that select items, and fields that order them.
    lists_changes
        True where `since` lists what changed.
    """

    path: str
    item: type[BaseModel]
    filters: tuple[str, ...]
    orders: tuple[str, ...]
    lists_changes: bool = False

    @property
    def fields(self) -> tuple[str, ...]:
        """All fields of an item, by their names in JSON."""
        return tuple(self.item.model_fields)

    @property
    def parameters(self) -> tuple[str, ...]:
        """All parameters."""
        return (*self.filters, *_SHAPE, *(("since",) if self.lists_changes else ()))

    def question(self, parameters: Mapping[str, str]) -> Question:
        """Read the parameters of a request.

        Raises
        ------
        InvalidQuestionError
            A parameter is unknown, and would be without effect, or its value is not valid.
        """
        _refuse("BadParameter", "parameters", sorted(parameters), self.parameters)
        since = parameters.get("since")
        if since is not None and parameters.keys() & {"order", "continue"}:
            raise InvalidQuestionError(
                "BadSince", "since lists changes in the order in which they happened: leave out order and continue"
            )
        filters = {name: parameters[name] for name in self.filters if name in parameters}
        return Question(
            filters,
            self._fields(parameters.get("fields", "")),
            self._order(parameters.get("order", "")),
            _limit(parameters.get("limit")),
            parameters.get("continue", ""),
            since,
        )

    def _fields(self, text: str) -> tuple[str, ...]:
        fields = tuple(name for name in text.split(",") if name)
        _refuse("BadFields", "fields", fields, self.fields)
        return fields

    def _order(self, text: str) -> Order | None:
        if not text:
            return None
        field = text.removeprefix("-")
        _refuse("BadOrder", "order", (field,), self.orders)
        return Order(field, descending=text.startswith("-"))


def _refuse(reason: str, parameter: str, names: Iterable[str], known: tuple[str, ...]) -> None:
    for name in names:
        if name not in known:
            raise InvalidQuestionError(reason, f"{parameter}: {_quoted(name)} is none of {', '.join(known)}")


def _limit(text: str | None) -> int:
    if text is None:
        return DEFAULT_LIMIT
    is_number = text.isascii() and text.isdecimal() and len(text) <= _DIGITS
    if not is_number or not 1 <= int(text) <= MAX_LIMIT:
        raise InvalidQuestionError("BadLimit", f"limit must be a number from 1 to {MAX_LIMIT}, not {_quoted(text)}")
    return int(text)


def _quoted(text: str) -> str:
    return repr(text[:_SHOWN])
