"""Which days of a Delta table that is partitioned by `day` changed between two versions, by its log. Pure but for one.

The log is read as Delta's protocol has it: a file for each version, a JSON object on each line. Writing small files
together changes no row, and the log says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from typing import Any

from kwitness.jobs.frame.commit_notes import EXPIRED, own_note
from kwitness.jobs.frame.hadoop_files import HadoopFiles

#: Versions that are looked at one by one; beyond that, all days are taken for changed.
MAX_VERSIONS = 2_000
_DAY = "day"


def changed_days(files: HadoopFiles, path: str, since: int, until: int) -> frozenset[date] | None:
    """Days of which a row was added or removed after the version `since`, up to the version `until`.

    Returns
    -------
    frozenset[date] | None
        None where it cannot be told: a version is not in the log any more, or the table was replaced.
    """
    if since > until or until - since > MAX_VERSIONS:
        return None
    found: set[date] = set()
    for version in range(since + 1, until + 1):
        try:
            text = files.read_text(f"{path}/_delta_log/{version:020d}.json")
        except FileNotFoundError:
            return None
        days = days_of(text.splitlines())
        if days is None:
            return None
        found |= days
    return frozenset(found)


def days_of(lines: Iterable[str]) -> set[date] | None:
    """Days that one version of a table changed rows of; None where it does not say.

    Rows that are not kept any longer say nothing else than they did: what was computed from them stays.
    """
    found: set[date] = set()
    actions: list[dict[str, Any]] = [json.loads(line) for line in lines if line.strip()]
    notes = [own_note(action.get("commitInfo", {}).get("userMetadata")) for action in actions]
    if any(note and note.get(EXPIRED) for note in notes):
        return set()
    for action in actions:
        for changed in (action.get("add"), action.get("remove")):
            if changed is None or not changed.get("dataChange", True):
                continue
            day = (changed.get("partitionValues") or {}).get(_DAY)
            if not day:
                return None
            found.add(date.fromisoformat(day))
    return found
