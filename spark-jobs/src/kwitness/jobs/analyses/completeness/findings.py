"""What somebody should look at: records that were sent and did not arrive, and what nobody can account for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.jobs.frame.findings import MAX_EXAMPLES, Finding, Findings
from kwitness.jobs.frame.intervals import text
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.owner_names import OwnerNames, addressed

_SHOWN_RANGES = 5
_MAX_SUBJECT = 512
_MAX_MESSAGE = 1024


def findings(table: DataFrame, job_input: JobInput, now_ms: int) -> Findings:
    """Rows by what is wrong, the largest numbers first. What is younger than twice `grace` is not judged yet."""
    owners = OwnerNames(job_input.owners, now_ms)
    looks: tuple[tuple[str, str, Callable[[Row], str]], ...] = (
        ("Lost", "lost", _lost),
        ("NotAcknowledged", "not_acknowledged", _not_acknowledged),
        ("Skipped", "skipped", _skipped),
        ("Duplicated", "duplicated", _duplicated),
        ("Unexplained", "unexplained", _unexplained),
        ("NotSeen", "not_seen", _not_seen),
        ("Late", "late", _late),
    )
    is_one: dict[str, Column] = {kind: F.col(count) > 0 for kind, count, _ in looks}
    # A group of which nobody told anything has no counts.
    is_one["NotSeen"] = F.col("verdict") == "NotSeen"
    is_one["NotAcknowledged"] = F.col("verdict") == "NotAcknowledged"
    [counted] = table.agg(*(F.count(F.when(one, 1)).alias(kind) for kind, one in is_one.items())).collect()
    examples: list[Finding] = []
    for kind, count, message in looks:
        room = MAX_EXAMPLES - len(examples)
        if room and counted[kind]:
            order = (F.desc_nulls_last(count), "topic", "partition", "group_id", "evidence")
            found = table.where(is_one[kind]).orderBy(*order).limit(room)
            examples += [
                Finding(kind, _subject(row), addressed(message(row), _owner(row, owners))[:_MAX_MESSAGE])
                for row in found.collect()
            ]
    return Findings(counted.asDict(), tuple(examples))


def _owner(row: Row, owners: OwnerNames) -> str | None:
    """Return the owner of the group, of rows about one, else that of the topic."""
    return owners.of_client({"group_id": row["group_id"] or None}) or owners.of_topic(row["topic"])


def _subject(row: Row) -> str:
    place = row["topic"] if row["partition"] < 0 else f"{row['topic']}-{row['partition']}"
    return f"{place} {row['group_id']}".strip()[:_MAX_SUBJECT]


def _lost(row: Row) -> str:
    ranges = _ranges(row["lost_ranges"])
    if row["evidence"] == "offsets":
        return (
            f"{row['lost']} offsets were acknowledged, and the log ends at {row['log_end']}: {ranges}. A replica that "
            "lacked them became leader: see unclean.leader.election.enable, min.insync.replicas and acks of who wrote"
        )
    return (
        f"{row['lost']} of {row['written']} offsets that were written were not handed to the group: {ranges}. One "
        f"client got what is before and after them ({_seen_by(row)}), and the group has not committed beyond them, or "
        f"the log, which begins at {row['log_start']}, lacks them: see whether retention removed them before the group "
        "came (auto.offset.reset), and the client's log"
    )


def _skipped(row: Row) -> str:
    return (
        f"the group passed over {row['skipped']} of {row['written']} offsets that were written: "
        f"{_ranges(row['skipped_ranges'])} ({_seen_by(row)}). The log had them: see the client's log for a seek, a "
        "reset of its offset, or records that it could not read"
    )


def _not_acknowledged(row: Row) -> str:
    return (
        f"of {row['meant']} records that applications wanted to send {row['acknowledged']} were acknowledged and "
        f"{row['given_up']} given up; of {row['not_acknowledged']} nobody was told what became of them. Processes that "
        "end without close() leave such records behind"
    )


def _duplicated(row: Row) -> str:
    if row["group_id"]:
        return (
            f"{row['duplicated']} offsets were handed to the group again ({_seen_by(row)}): after a rebalance or a "
            "restart all that was not committed comes again. Commit more often, or see who seeks back"
        )
    return (
        f"{row['duplicated']} offsets were given to records twice ({_seen_by(row)}): the log lost its end and was "
        "written again from there, or the topic was recreated"
    )


def _unexplained(row: Row) -> str:
    return (
        f"{row['unexplained']} offsets of the log were written by somebody whom neither interceptors nor observers "
        f"saw, among {_ranges(row['unexplained_ranges'])} ({row['control']} more may be markers of transactions, "
        f"{row['unconfirmed']} sent with acks=0): a client goes around observers, or what they told was lost "
        "(LedgerAudit says so)"
    )


def _not_seen(row: Row) -> str:
    if row["written"] is None:
        return (
            f"the group has committed offset {row['committed']}, and nobody saw what it was handed: put interceptors "
            "into it or an observer before it"
        )
    return (
        f"nobody saw {row['not_seen']} of {row['written']} written offsets handed to the group: "
        f"{_ranges(row['not_seen_ranges'])} ({_seen_by(row)}). That proves nothing: members may go around observers, "
        "transactions may be aborted, or what was told was lost (LedgerAudit says so)"
    )


def _late(row: Row) -> str:
    return f"{row['late']} were told of later than grace ({_seen_by(row)}): whether they came twice is not known"


def _seen_by(row: Row) -> str:
    said = "its interceptors" if row["evidence"] == "interceptors" else "observers"
    return f"by {said}, about" if row["approximate"] else f"by {said}"


def _ranges(entries: list[Any] | None) -> str:
    if not entries:
        return "ranges that are not told apart any more"
    return text((one["first"], one["last"]) for one in entries[:_SHOWN_RANGES])
