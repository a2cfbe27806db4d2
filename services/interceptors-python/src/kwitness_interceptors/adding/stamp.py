"""Stamp: headers that say where a record is from, in UTF-8."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import Optional

from kwitness_interceptors.interface import ProducerInterceptor
from kwitness_interceptors.measures.client_counts import ClientCounts
from kwitness_interceptors.records import AddedHeader, ProducerRecord
from kwitness_interceptors.settings import Settings, Stamp

from .left_out import Adding, Counted

__all__ = ["ProducerStamp", "unique_id"]

_VARIABLES = {"Pod": "KWITNESS_POD_NAME", "Namespace": "KWITNESS_POD_NAMESPACE"}


class ProducerStamp(Adding, ProducerInterceptor):
    """Adds the headers of which a record has none yet; one whose value is not known is left out of all records.

    Parameters
    ----------
    stamps
        The headers.
    settings
        Where cluster, workload and attributes are from.
    client_id
        Of the client.
    counts, counted
        As of `Adding`.
    """

    def __init__(
        self,
        stamps: Sequence[Stamp],
        settings: Settings,
        client_id: str,
        counts: Optional[ClientCounts],
        counted: Counted,
    ) -> None:
        super().__init__(counts, counted)
        made = [(one, _value(one, settings, client_id)) for one in stamps if one.source != "UniqueId"]
        self._headers = tuple(AddedHeader(one.key, value.encode()) for one, value in made if value)
        self._unique = tuple(one.key for one in stamps if one.source == "UniqueId")

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        if not self._counted(record.topic):
            return record
        present = {one[0] for one in record.headers}
        added = [one for one in self._headers if one[0] not in present]
        added += [AddedHeader(key, unique_id().encode()) for key in self._unique if key not in present]
        return record._replace(headers=(*record.headers, *added)) if added else record


def unique_id(now_ns: Callable[[], int] = time.time_ns) -> str:
    """Return a UUID of version 7 (RFC 9562): milliseconds since 1970 in its first 48 bits, then 74 random ones."""
    number = now_ns() // 1_000_000 << 80 | int.from_bytes(os.urandom(10), "big")
    number = number & ~(0xF << 76) | 0x7 << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    text = f"{number & (1 << 128) - 1:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _value(stamp: Stamp, settings: Settings, client_id: str) -> Optional[str]:
    if stamp.source in _VARIABLES:
        return os.environ.get(_VARIABLES[stamp.source])
    if stamp.source == "Attribute":
        return settings.attributes.get(stamp.value or "")
    known = {
        "ClientId": client_id,
        "ClusterId": settings.cluster_id,
        "Workload": (settings.workload or {}).get("name"),
        "Value": stamp.value,
    }
    return known[stamp.source]
