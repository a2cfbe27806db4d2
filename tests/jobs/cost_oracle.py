"""CostAttribution in plain Python, from all that is known at once: what the job's table must be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from kwitness.contracts.owner_lookup import OwnerLookup
from kwitness.contracts.owners import OwnerList
from kwitness.contracts.rate_card import RateCard

Row = Mapping[str, Any]
CLIENT = ("principal", "client_id", "k8s_namespace", "k8s_workload")
COLUMNS = {
    "principal": "principal",
    "Team": "owner",
    "Topic": "topic",
    "k8s_namespace": "k8s_namespace",
    "client_id": "client_id",
    "k8s_workload": "k8s_workload",
    "Header": "header_value",
}
USAGES = ("bytes_in", "bytes_out", "requests", "stored_byte_hours")
HOUR = 3_600_000
GAP = 26 * HOUR


class Settings(NamedTuple):
    """What a resource says."""

    group_by: tuple[str, ...]
    zone: str = "Etc/UTC"
    header: str | None = None
    owners: OwnerList | None = None
    card: RateCard | None = None


class Known(NamedTuple):
    """All that is known."""

    samples: list[tuple[int, str, int]]
    headers: list[Row]
    latest_ms: int


class Line(NamedTuple):
    """Usage of a client and topic in a month."""

    who: tuple[str | None, ...]
    topic: str | None
    value: str | None
    attribution: str
    owner: str | None
    usage: dict[str, int]


def shared(whole: int, weights: Sequence[int]) -> list[int]:
    """Largest remainders, by exact fractions."""
    exact = [Fraction(whole * weight, sum(weights)) for weight in weights]
    parts = [floor(one) for one in exact]
    order = sorted(range(len(weights)), key=lambda at: (parts[at] - exact[at], at))
    for at in order[: whole - sum(parts)]:
        parts[at] += 1
    return parts


def nulls_last(values: Iterable[str | None]) -> tuple[tuple[bool, str], ...]:
    return tuple((one is None, one or "") for one in values)


def month_of(ms: int, zone: str) -> str:
    return datetime.fromtimestamp(ms // 1000, ZoneInfo(zone)).strftime("%Y-%m")


def bounds(month: str, zone: str) -> tuple[int, int]:
    year, number = map(int, month.split("-"))
    first = datetime(year, number, 1, tzinfo=ZoneInfo(zone))
    after = datetime(year + number // 12, number % 12 + 1, 1, tzinfo=ZoneInfo(zone))
    return int(first.timestamp()) * 1000, int(after.timestamp()) * 1000


def bill(
    traffic: Iterable[Row], samples: Iterable[tuple[int, str, int]], settings: Settings, headers: Iterable[Row] = ()
) -> list[dict[str, Any]]:
    """All rows, by month.

    Parameters
    ----------
    traffic, headers
        Base windows alone.
    samples
        Time, topic, bytes.
    """
    by_month: dict[str, list[Row]] = defaultdict(list)
    for row in traffic:
        by_month[month_of(row["window_start_ms"], settings.zone)].append(row)
    latest = max((row["window_end_ms"] for rows in by_month.values() for row in rows), default=0)
    counted = list(samples)
    months = set(by_month) | set(_sampled_months(counted, settings.zone))
    known = Known(counted, list(headers), latest)
    return [row for month in sorted(months) for row in _month(month, by_month[month], settings, known)]


def _month(month: str, rows: list[Row], settings: Settings, all_known: Known) -> list[dict[str, Any]]:
    start, end = bounds(month, settings.zone)
    usage = _usage(rows, settings, by_hour="Header" in settings.group_by)
    lines = _tagged(usage, settings, all_known.headers)
    stored, known, gap = _stored(all_known.samples, start, end, settings)
    lines += _stored_lines(stored, lines, settings)
    keys = [column for word, column in COLUMNS.items() if word in settings.group_by]
    groups: dict[tuple[Any, ...], dict[str, int]] = {}
    for line in lines:
        columns = {**dict(zip(CLIENT, line.who, strict=True)), "topic": line.topic}
        columns |= {"owner": line.owner, "header_value": line.value}
        key = (*(columns[name] if name in keys else None for name in COLUMNS.values()), line.attribution)
        group = groups.setdefault(key, dict.fromkeys([*USAGES, *(f"unowned_{one}" for one in USAGES)], 0))
        for name, amount in line.usage.items():
            group[name] += amount
            if line.owner is None and settings.owners is not None:
                group[f"unowned_{name}"] += amount
    groups = {key: group for key, group in groups.items() if any(group[name] for name in USAGES)}
    ordered = sorted(groups.items(), key=lambda one: nulls_last(one[0]))
    costs = {name: _costs(name, [group for _, group in ordered], settings.card, end - start) for name in USAGES}
    is_open = all_known.latest_ms < end or any(row["state"] == "open" for row in rows)
    return [
        {
            "month": month,
            "month_start_ms": start,
            "month_end_ms": end,
            "grouped_by": ",".join(word for word in COLUMNS if word in settings.group_by),
            **dict(zip((*COLUMNS.values(), "attribution"), key, strict=True)),
            "owner_contact": _contact(key[1], settings),
            **{name: group[name] for name in USAGES},
            "currency": settings.card.currency if settings.card else None,
            "bytes_in_cost": costs["bytes_in"][at][0],
            "bytes_out_cost": costs["bytes_out"][at][0],
            "requests_cost": costs["requests"][at][0],
            "stored_cost": costs["stored_byte_hours"][at][0],
            "cost": sum(costs[name][at][0] for name in USAGES),
            "unowned_cost": sum(costs[name][at][1] for name in USAGES) if settings.owners is not None else None,
            "missing_rates": list(settings.card.holes) if settings.card else [],
            "stored_known_ms": known,
            "stored_gap_ms": gap,
            "state": "open" if is_open else "closed",
        }
        for at, (key, group) in enumerate(ordered)
    ]


Usage = dict[Any, dict[str, int]]


def _usage(rows: list[Row], settings: Settings, *, by_hour: bool) -> Usage:
    """By hour, time of owners, request, client and topic."""
    moved: dict[Any, int] = defaultdict(int)
    named: dict[Any, dict[str | None, int]] = defaultdict(lambda: defaultdict(int))
    asked: dict[Any, int] = defaultdict(int)
    for row in rows:
        start = row["window_start_ms"]
        hour = start // HOUR if by_hour else None
        key = (hour, _owned_at(settings, start), row["api"], tuple(row[name] for name in CLIENT))
        topic = row["topic"] if row["topic"] is not None else row["topic_id"]
        if row["kind"] == "partition":
            moved[(*key, topic)] += row["bytes"] or 0
            named[key][topic] += row["requests"] or 0
        elif row["kind"] == "api":
            asked[key] += row["requests"] or 0
    usage: dict[Any, dict[str, int]] = defaultdict(lambda: dict.fromkeys(USAGES, 0))
    for (hour, owned_at, api, who, topic), amount in moved.items():
        usage[hour, owned_at, api, who, topic]["bytes_in" if api == "Produce" else "bytes_out"] += amount
    for key, requests in asked.items():
        topics = sorted((one for one in named[key].items() if one[1]), key=lambda one: nulls_last([one[0]]))
        parts = shared(requests, [count for _, count in topics]) if topics else [requests]
        for topic, part in zip([topic for topic, _ in topics] or [None], parts, strict=True):
            usage[(*key, topic)]["requests"] += part
    return usage


def _tagged(usage: Usage, settings: Settings, headers: list[Row]) -> list[Line]:
    if "Header" not in settings.group_by:
        return [
            Line(who, topic, None, "attributed", _owner(settings, who, topic, owned_at), amounts)
            for (_, owned_at, _, who, topic), amounts in usage.items()
        ]
    sides = {"Produce": "producer", "Fetch": "consumer", "ShareFetch": "consumer"}
    by_side: Usage = defaultdict(lambda: dict.fromkeys(USAGES, 0))
    for (hour, owned_at, api, who, topic), amounts in usage.items():
        for name, amount in amounts.items():
            by_side[owned_at, (hour, sides.get(api), who, topic)][name] += amount
    found = []
    for (owned_at, place), amounts in by_side.items():
        _, _, who, topic = place
        values = _values(headers, settings.header or "", place)
        ordered = sorted(values.items(), key=lambda one: nulls_last([one[0]])) or [(None, 1)]
        parts = {name: shared(amount, [count for _, count in ordered]) for name, amount in amounts.items()}
        owner = _owner(settings, who, topic, owned_at)
        for at, (value, _) in enumerate(ordered):
            attribution = "untagged" if value is None else "attributed"
            part = {name: parts[name][at] for name in USAGES}
            found.append(Line(who, topic, value, attribution, owner, part))
    return found


def _values(headers: list[Row], header: str, place: Any) -> dict[str | None, int]:
    """Records by value; the rest by None. Each client that the headers tell apart has a rest of its own."""
    hour, side, who, topic = place
    found: dict[str | None, int] = defaultdict(int)
    rests: dict[Any, int] = defaultdict(int)
    for row in headers:
        seen = tuple(row[name] for name in CLIENT)
        fits = all(one is None or one == other for one, other in zip(seen, who, strict=True)) and seen[1] == who[1]
        if not fits or topic is None or (row["topic"], row["side"]) != (topic, side):
            continue
        if row["window_start_ms"] // HOUR != hour:
            continue
        if row["kind"] == "topic":
            rests[seen] += row["records_looked_at"]
        elif row["key"] == header:
            for value, count in row["values"]:
                found[value] += count
                rests[seen] -= count
    found[None] = sum(max(0, one) for one in rests.values())
    return {value: count for value, count in found.items() if count}


def _stored(
    samples: list[tuple[int, str, int]], start: int, end: int, settings: Settings
) -> tuple[dict[tuple[str, int], int], int, int]:
    """Byte-hours by topic and time of owners, and how long they are known and not known."""
    byte_ms: dict[tuple[str, int], int] = defaultdict(int)
    known = gap = 0
    times = sorted({at for at, _, _ in samples})
    for before, at in pairwise(times):
        inside = max(0, min(at, end) - max(before, start))
        if at - before > GAP:
            gap += inside
            continue
        known += inside
        for when, topic, size in samples:
            if when == at:
                byte_ms[topic, _owned_at(settings, min(at, end - 1))] += size * inside
    return {place: one // HOUR for place, one in byte_ms.items() if one >= HOUR}, known, gap


def _stored_lines(stored: Mapping[tuple[str, int], int], lines: list[Line], settings: Settings) -> list[Line]:
    found = []
    keys = [column for word, column in COLUMNS.items() if word in settings.group_by]
    for (topic, owned_at), amount in stored.items():
        mine = _owner(settings, (None,) * 4, topic, owned_at)
        writers: dict[Any, int] = defaultdict(int)
        for line in lines:
            if line.topic == topic and line.usage["bytes_in"]:
                columns = {**dict(zip(CLIENT, line.who, strict=True)), "header_value": line.value}
                told = tuple(columns[name] if name in keys else None for name in (*CLIENT, "header_value"))
                writers[told, line.owner, line.attribution] += line.usage["bytes_in"]
        names = [name for name in keys if name not in {"topic", "owner"}]
        told_order = [*keys, "owner", "attribution"]

        def order(one: Any, told_order: Sequence[str] = tuple(dict.fromkeys(told_order))) -> Any:
            (told, owner, attribution), _ = one
            columns = dict(zip((*CLIENT, "header_value"), told, strict=True)) | {
                "owner": owner,
                "attribution": attribution,
            }
            return nulls_last([columns[name] for name in told_order if name != "topic"])

        ordered = sorted(writers.items(), key=order)
        if not ordered:
            is_told = not names and ("owner" not in keys or mine is not None)
            ordered = [(((None,) * 5, None, "attributed" if is_told else "unattributed"), 1)]
        parts = shared(amount, [weight for _, weight in ordered])
        for ((told, owner, attribution), _), part in zip(ordered, parts, strict=True):
            usage = {**dict.fromkeys(USAGES, 0), "stored_byte_hours": part}
            found.append(Line(told[:4], topic, told[4], attribution, mine or owner, usage))
    return found


def _owned_at(settings: Settings, at_ms: int) -> int:
    """The last time, not after this one, from which an entry counts."""
    entries = settings.owners.owners if settings.owners else ()
    times = [int(entry.valid_from.timestamp()) * 1000 for entry in entries if entry.valid_from]
    return max((time for time in times if time <= at_ms), default=0)


def _owner(settings: Settings, who: Sequence[str | None], topic: str | None, at_ms: int) -> str | None:
    if settings.owners is None:
        return None
    principal, client_id, namespace, _ = who
    known = {"principal": principal, "client_id": client_id, "namespace": namespace, "topic": topic}
    entry = OwnerLookup(settings.owners).owner_of(known, at_ms)
    return entry.team if entry else None


def _contact(owner: str | None, settings: Settings) -> str | None:
    entries = settings.owners.owners if settings.owners else ()
    return next((one.contact for one in entries if one.team == owner and one.contact), None) if owner else None


def _costs(name: str, groups: list[dict[str, int]], card: RateCard | None, month_ms: int) -> list[tuple[int, int]]:
    rates = (
        {
            "bytes_in": Fraction(card.bytes_in_per_gib or 0, 2**30),
            "bytes_out": Fraction(card.bytes_out_per_gib or 0, 2**30),
            "requests": Fraction(card.requests_per_million or 0, 10**6),
            "stored_byte_hours": Fraction(card.stored_per_gib_month or 0, 2**30) * Fraction(HOUR, month_ms),
        }
        if card
        else {}
    )
    total = floor(rates.get(name, Fraction(0)) * sum(group[name] for group in groups) + Fraction(1, 2))
    if not total:
        return [(0, 0)] * len(groups)
    found = []
    for group, cost in zip(groups, shared(total, [group[name] for group in groups]), strict=True):
        unowned = group[f"unowned_{name}"]
        found.append((cost, shared(cost, [unowned, group[name] - unowned])[0] if group[name] else 0))
    return found


def _sampled_months(samples: list[tuple[int, str, int]], zone: str) -> set[str]:
    """Months of which something is known by samples."""
    found = set()
    times = sorted({at for at, _, _ in samples})
    for before, at in pairwise(times):
        if at - before <= GAP:
            found |= {month_of(before, zone), month_of(at - 1, zone)}
    return found
