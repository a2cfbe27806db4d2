"""The headers of one record by typed keys: to read them where it is consumed, to set them where it is produced."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Optional, TypeVar

from kwitness_interceptors.records import Header

from .compact_set import SET_HEADER, SetReader, decode_set, encode_set
from .keys import HeaderKey
from .types import HeaderValueError

__all__ = ["HeaderReader", "HeaderWriter", "NativeHeaders"]

T = TypeVar("T")
NativeHeaders = Optional[Iterable[tuple[str, Optional[bytes]]]]
"""Headers as clients have them: pairs of key and value, None where there are none."""


class HeaderReader:
    """A record's headers as they were when this was made; they cannot be changed by it, nor it by them.

    Of headers with the same key the last counts, as in Kafka's own `lastHeader`. A key with an id is looked for in the
    set where no header has its name.
    """

    __slots__ = ("_headers",)
    _headers: tuple[Header, ...]

    def __init__(self, headers: NativeHeaders) -> None:
        object.__setattr__(self, "_headers", _frozen(headers))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("headers of a record that was consumed cannot be changed: make a HeaderWriter of them")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("headers of a record that was consumed cannot be changed: make a HeaderWriter of them")

    @property
    def headers(self) -> tuple[Header, ...]:
        """All of them, in their order."""
        return self._headers

    def __contains__(self, key: HeaderKey[Any]) -> bool:
        return self._find(key) is not None

    def get(self, key: HeaderKey[T], default: Optional[T] = None) -> Optional[T]:
        """Return the value of `key`: `default` where the record has none, None where it is null.

        Raises
        ------
        HeaderValueError
            It is not of the key's type.
        HeaderSetError
            The record's set is none, as far as it had to be read.
        """
        found = self._find(key)
        if found is None:
            return default
        return None if found.value is None else _decoded(key, found.value)

    def _find(self, key: HeaderKey[Any]) -> Optional[Header]:
        found = _last(self._headers, key.name)
        if found is None and key.id is not None:
            whole = _last(self._headers, SET_HEADER)
            if whole is not None and whole.value:
                value = SetReader(whole.value).read_until(key.id)
                return None if value is None else Header(key.name, value)
        return found


class HeaderWriter:
    """The headers of a record on its way out; `headers` is what the client is to send.

    With `compact` keys that have an id go into the set, others beside it. A key has one value: `set` replaces it,
    wherever it is. Headers that are not set here stay as they are.

    Raises
    ------
    HeaderSetError
        The headers that are there have a set that is none: remove that header first.
    """

    __slots__ = ("_compact", "_headers", "_set")

    def __init__(self, headers: NativeHeaders = None, *, compact: bool = False) -> None:
        given = _frozen(headers)
        whole = _last(given, SET_HEADER)
        self._compact = compact
        self._set = {} if whole is None or whole.value is None else decode_set(whole.value)
        self._headers = [one for one in given if one.key != SET_HEADER]

    @property
    def headers(self) -> list[Header]:
        """Pairs of key and value for the client; none at all where nothing was set, and no set that is empty."""
        written = encode_set(self._set)
        return [*self._headers, Header(SET_HEADER, written)] if written else list(self._headers)

    def __contains__(self, key: HeaderKey[Any]) -> bool:
        return _last(self._headers, key.name) is not None or (key.id is not None and key.id in self._set)

    def get(self, key: HeaderKey[T], default: Optional[T] = None) -> Optional[T]:
        """Return what a reader of these headers would.

        Raises
        ------
        HeaderValueError
            It is not of the key's type.
        """
        found = _last(self._headers, key.name)
        if found is not None:
            return None if found.value is None else _decoded(key, found.value)
        value = None if key.id is None else self._set.get(key.id)
        return default if value is None else _decoded(key, value)

    def set(self, key: HeaderKey[T], value: T) -> None:
        """Give `key` this value in place of each that it has.

        Raises
        ------
        HeaderValueError
            It is not of the key's type; all is as before.
        """
        try:
            written = key.type.encode(value)
        except HeaderValueError as error:
            raise HeaderValueError(f"header {key}: {error}") from error
        self.remove(key)
        if self._compact and key.id is not None:
            self._set[key.id] = written
        else:
            self._headers.append(Header(key.name, written))

    def remove(self, key: HeaderKey[Any]) -> None:
        """Take `key` away, wherever it is; nothing happens where it is not."""
        self._headers = [one for one in self._headers if one.key != key.name]
        if key.id is not None:
            self._set.pop(key.id, None)


def _decoded(key: HeaderKey[T], value: bytes) -> T:
    try:
        return key.type.decode(value)
    except HeaderValueError as error:
        raise HeaderValueError(f"header {key}: {error}") from error


def _frozen(headers: NativeHeaders) -> tuple[Header, ...]:
    # A client may hand over what it writes into again. bytes(4) would be four zeros.
    return tuple(Header(key, None if value is None else memoryview(value).tobytes()) for key, value in headers or ())


def _last(headers: Iterable[Header], name: str) -> Optional[Header]:
    found = None
    for one in headers:
        if one.key == name:
            found = one
    return found
