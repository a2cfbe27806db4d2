"""What observers are shown of a request or response: read only, by the names that Kafka gives its fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from typing_extensions import override

from kwitness.contracts.identity import Identity

__all__ = ["ApiKey", "PartitionData", "Request", "Response", "Struct", "UnknownFieldError", "frozen"]


class UnknownFieldError(KeyError):
    """A structure has no field of that name; says which ones it has."""

    @override
    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A kind of request: Kafka's number and name, such as 0 and ``Produce``."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class PartitionData:
    """Records of one partition in a request or response.

    ``records`` is None where they could not be counted without decompressing them, ``error`` is Kafka's code or None.
    """

    topic: str
    partition: int
    records: int | None
    bytes: int
    error: int | None


@dataclass(frozen=True, eq=False, repr=False)
class Struct(Mapping[str, Any]):
    """A structure of Kafka's protocol. Values are texts, numbers, None, `Struct`, or tuples of these.

    What Kafka calls records is a `Struct` of ``bytes`` and ``records``.
    """

    _fields: Mapping[str, Any]
    _place: str

    @override
    def __getitem__(self, name: str) -> Any:
        """The value of a field.

        Raises
        ------
        UnknownFieldError
            There is no such field.
        """
        try:
            return self._fields[name]
        except KeyError:
            raise UnknownFieldError(
                f"{self._place} has no field {name!r}; it has {', '.join(self._fields) or 'none'}"
            ) from None

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    @override
    def __len__(self) -> int:
        return len(self._fields)

    @override
    def __repr__(self) -> str:
        return f"<{self._place}: {', '.join(self._fields) or 'no fields'}>"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _Message(Struct):
    api_key: ApiKey
    connection_id: str
    occurred_at_ms: int
    size_bytes: int
    topics: tuple[str, ...]
    partitions: tuple[PartitionData, ...]
    identity: Identity
    has_fields: bool
    truncated: bool

    @override
    def __getitem__(self, name: str) -> Any:
        if not self.has_fields:
            raise UnknownFieldError(
                f"the fields of this {self._place} are not in its event, so there is no {name!r}: ask has_fields"
                " before; topics, partitions and size_bytes are there in any case"
            )
        return super().__getitem__(name)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Request(_Message):
    """A request: its fields, and what the observer on the wire found out.

    Attributes
    ----------
    api_key
        Which request it is.
    connection_id
        The connection on which it was sent.
    occurred_at_ms
        When, in milliseconds since 1970.
    size_bytes
        Size of its frame.
    topics
        Topics in it; ids while no name is known.
    partitions
        Records by partition, of Produce.
    identity
        What is known of the client.
    has_fields
        Whether it has fields: those of some APIs alone are recorded, up to a size.
    truncated
        Whether there was more than the event holds.
    """


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Response(_Message):
    """A response: its fields, and what the observer on the wire found out; attributes as of a `Request`.

    Attributes
    ----------
    partitions
        Records by partition, of Fetch and ShareFetch; errors by partition, of Produce.
    errors
        How often each of Kafka's error codes is in it.
    response_time_us
        Since the request, in microseconds; None where that is not known.
    """

    errors: Mapping[str, int]
    response_time_us: int | None


def frozen(value: Any, place: str) -> Any:
    """Return decoded JSON so that nobody can change it: objects as `Struct`, arrays as tuples."""
    if isinstance(value, dict):
        fields = {name: frozen(one, f"{place} {name}") for name, one in value.items()}
        return Struct(MappingProxyType(fields), place)
    if isinstance(value, list | tuple):
        return tuple(frozen(one, place) for one in value)
    return value
