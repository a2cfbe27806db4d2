"""The headers of closed windows as rows of kwitness.headers, and as totals for Prometheus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional

from kwitness_interceptors.measures.header_counts import HeaderTally
from kwitness_interceptors.settings import Settings

from .client_window import ClientWindow

__all__ = ["header_rows", "header_totals"]

SEEN_BY = "python"
_UNREGISTERED = "unregistered"


def header_rows(of: ClientWindow, instance: str, settings: Settings) -> Iterator[dict[str, Any]]:
    """Return the rows of one window of a client, but for the names and numbers of the event."""
    client, window = of.client, of.window
    if window.headers is None:
        return
    common = {
        "cluster_id": settings.cluster_id,
        **({"client_id": of.client_id} if of.client_id else {}),
        "window_start_ms": window.start_ms,
        "window_end_ms": window.end_ms,
        "instance": instance,
        "seen_by": SEEN_BY,
        "side": client.side,
        **({"attributes": dict(settings.attributes)} if settings.attributes else {}),
    }
    for place, tally, (passed, looked_at) in window.headers.rows():
        named: dict[str, Any] = {"overflowed": True} if place is None else _named(*place)
        counted = {"records_passed": passed, "records_looked_at": looked_at, **_counted(tally)}
        # Whether a key is registered is said once for all of its headers.
        problems = {problem: count for problem, count in tally.problems.items() if problem != _UNREGISTERED}
        values = [{"value": text, "records": count} for text, count in tally.texts()]
        left_out = {"values_left_out": tally.values_left_out}
        yield {**common, **named, **_present({**counted, **problems, "values": values, **left_out})}


def header_totals(windows: Iterable[ClientWindow]) -> list[dict[str, Any]]:
    """Return what was new in these windows, by client, topic and key."""
    sums: dict[tuple[Optional[str], Optional[str], str, Optional[str]], HeaderTally] = {}
    for client, window, client_id, _ in windows:
        for place, tally, _ in window.headers.rows() if window.headers is not None else ():
            if tally.headers or tally.problems:
                topic, key = place or (None, None)
                sums.setdefault((topic, key, client.side, client_id), HeaderTally()).add(tally)
    return [
        {
            "side": side,
            **_named(topic, key),
            **({"client_id": client_id} if client_id else {}),
            **_present({**_counted(tally), "problems": dict(tally.problems)}),
        }
        for (topic, key, side, client_id), tally in sums.items()
    ]


def _counted(tally: HeaderTally) -> dict[str, Any]:
    return {
        "registered": tally.registered,
        "headers": tally.headers,
        "bytes": tally.bytes,
        "removed": tally.removed,
    }


def _named(topic: Optional[str], key: Optional[str]) -> dict[str, str]:
    """Name the place; an empty key is one, too."""
    return {name: text for name, text in (("topic", topic), ("key", key)) if text is not None}


def _present(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is zero or empty: absent means the same."""
    return {name: value for name, value in fields.items() if value not in (None, 0, "", [], {})}
