"""Completeness once more, as plainly as possible: sets of single offsets, all reports of a partition at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

Voice = tuple[str, str]


@dataclass(frozen=True)
class Said:
    """One row of an interceptor or observer on one partition."""

    voice: Voice
    at_ms: int
    start_ms: int
    end_ms: int
    teller: int
    seq: int
    offsets: frozenset[int]
    count: int
    exact: bool = True
    plain: bool = False
    markers: int = 0
    unconfirmed: int = 0
    aborted: int = 0


@dataclass
class Of:
    """What is said of a partition by one voice."""

    every: set[int] = field(default_factory=set)
    folded: set[int] = field(default_factory=set)
    sure: set[int] = field(default_factory=set)
    plain: set[int] = field(default_factory=set)
    begins: dict[int, tuple[int, int]] = field(default_factory=dict)
    ends: dict[int, tuple[int, int]] = field(default_factory=dict)
    duplicated: int = 0


def holes(offsets: set[int]) -> list[tuple[int, int]]:
    """Pairs of neighbours with something missing between them."""
    ordered = sorted(offsets)
    return [(one, other) for one, other in pairwise(ordered) if other > one + 1]


def judge(  # noqa: C901, PLR0915 - in one piece, so that it can be read beside the guide
    said: Iterable[Said], grace_ms: int, *, now_ms: int = 0, end: int | None = None, compacted: bool | None = None
) -> dict[Voice, dict[str, Any]]:
    """What people read, by voice; `now_ms`, `end` and `compacted` are those of a survey at the end, if there is one."""
    rows = {(one.voice, one.teller, one.start_ms, one.seq): one for one in said}.values()
    before = max([now_ms, *(one.at_ms for one in said)]) - 2 * grace_ms
    voices: dict[Voice, Of] = {}
    for one in rows:
        of = voices.setdefault(one.voice, Of())
        of.every |= one.offsets
        of.sure |= one.offsets if one.exact else set()
        of.plain |= one.offsets if one.exact and one.plain else set()
        if one.end_ms >= before:
            continue
        of.duplicated += len(one.offsets & of.folded)
        of.duplicated += max(0, one.count - len(one.offsets)) if one.exact and one.offsets else 0
        of.folded |= one.offsets
        for offset in one.offsets:
            of.begins[offset] = min(of.begins.get(offset, (one.start_ms, one.teller)), (one.start_ms, one.teller))
            of.ends[offset] = min(of.ends.get(offset, (one.end_ms, one.teller)), (one.end_ms, one.teller))
    writers = [of for (group, _), of in voices.items() if not group]
    known = set().union(*(of.every for of in writers))
    sure = set().union(*(of.sure for of in writers))
    plain = set().union(*(of.plain for of in writers))
    found: dict[Voice, dict[str, Any]] = {}
    for voice, of in voices.items():
        if not voice[0]:
            found[voice] = {"duplicated": of.duplicated}
            continue
        row = dict.fromkeys(("written", "lost", "skipped", "not_seen", "aborted", "compacted"), 0)
        if of.folded:
            row["written"] = len([one for one in sure if min(of.folded) <= one <= max(of.folded)])
        told = sorted({(min(one.offsets), max(one.offsets), one.aborted) for one in rows if one.aborted})
        left = {one: one[2] for one in told}
        for low, high in holes(of.folded):
            missing = [one for one in range(low + 1, high) if one in sure and one not in of.every]
            proved = of.ends[low][1] == of.begins[high][1] and of.begins[high][0] <= of.ends[low][0]
            if voice[1] == "wire":
                gone = [offset for offset in missing if proved and end is not None and offset >= end]
                row["lost"] += len(gone)
                row["skipped" if proved else "not_seen"] += len(missing) - len(gone)
                continue
            doubted: list[int] = [one for one in missing if one not in plain]
            for abort in told:
                for one in [one for one in doubted if abort[0] <= one <= abort[1]]:
                    if left[abort]:
                        left[abort] -= 1
                        row["aborted"] += 1
                        doubted.remove(one)
            certain = [one for one in missing if one in plain]
            marked = bool(doubted) and (
                any(one not in known for one in range(doubted[0], max(known)))
                or end is None
                or now_ms < of.begins[high][0]
                or end > max(known) + 1
            )
            if compacted:
                row["compacted"] += len(certain) + len(doubted)
                continue
            row["lost" if proved and compacted is False else "not_seen"] += len(certain)
            row["lost" if proved and compacted is False and not marked else "not_seen"] += len(doubted)
        found[voice] = {**row, "duplicated": of.duplicated}
    folded = set().union(*(of.folded for of in writers))
    old = [one for one in rows if not one.voice[0] and one.end_ms < before]
    gaps = [one for one in range(min(folded), max(folded)) if one not in known] if folded else []
    control = min(len(gaps), sum(one.markers for one in old))
    unconfirmed = min(len(gaps) - control, sum(one.unconfirmed for one in old))
    beyond = [] if end is None else [one for of in writers for one in of.sure & of.folded if one >= end]
    found["", "offsets"] = {
        "control": control,
        "unconfirmed": unconfirmed,
        "unexplained": len(gaps) - control - unconfirmed,
        "lost": len(set(beyond)),
    }
    return found
