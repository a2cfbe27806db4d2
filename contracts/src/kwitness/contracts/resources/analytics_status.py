"""The status of an AnalyticsJob: the driver, and each analysis that it computes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .analyses import Analysis, AnalyticsJobType
from .contract_model import Contract, list_map
from .ledger import HopLedger
from .meta import Status
from .times import time_field

__all__ = [
    "AnalysisStatus",
    "AnalyticsJobStatus",
    "DataLoss",
    "FinishedRun",
    "JobCosts",
    "JobFinding",
    "Lag",
    "LastRun",
    "OwnerCost",
]


class LastRun(Contract):
    """The last run, or the current one while it streams."""

    id: str | None = Field(None, description="Its `run.once.id`.", max_length=63)
    succeeded: bool | None = Field(None, description="Whether it ended well; absent while it runs.")
    start_time: str | None = time_field("When it began.")
    completion_time: str | None = time_field("When it ended; absent while it runs.")
    rows: int | None = Field(None, description="Rows read.", ge=0)
    batches: int | None = Field(None, description="Micro-batches finished.", ge=0)
    quarantined: int | None = Field(None, description="Rows that could not be decoded.", ge=0)


class Lag(Contract):
    """How far behind an analysis is."""

    records: int | None = Field(None, description="Records not read yet.", ge=0)
    oldest_record_time: str | None = time_field("Time of the oldest record not read yet.")


class DataLoss(Contract):
    """Records that were gone before the analysis read them."""

    topic: str = Field(description="Topic.", max_length=249)
    partition: int = Field(description="Partition.", ge=0)
    first_offset: int = Field(description="First offset lost.", ge=0)
    last_offset: int = Field(description="Last offset lost.", ge=0)


class FinishedRun(Contract):
    """A run of `once` that has ended and never runs again."""

    id: str = Field(description="Its `run.once.id`.", max_length=63)
    succeeded: bool = Field(description="Whether it ended well.")


class JobFinding(Contract):
    """One thing that the analysis found wrong."""

    kind: str = Field(description="What was found, in one word.", max_length=63)
    subject: str = Field(description="Of what: a topic, a client, a hop.", max_length=512)
    message: str = Field(description="What is wrong, and what to do.", max_length=1024)
    first_seen_time: str | None = time_field("When it was found first.")


class OwnerCost(Contract):
    """Usage of an owner, in micro-units, millionths of the currency."""

    owner: str = Field(
        description="Team; `unowned` is usage without an owner, `other` what belongs to teams that are left out.",
        max_length=128,
    )
    month_micro_units: int = Field(description="Of the month so far.", ge=0)
    day_micro_units: int | None = Field(None, description="Of the day; absent where there is no day.", ge=0)


class JobCosts(Contract):
    """Costs of the present month and of the last day that is over, by owner."""

    currency: str = Field(description="Code of the currency.", max_length=3)
    month: str = Field(description="The latest month of the table.", max_length=7)
    day: str | None = Field(
        None,
        description="The last day of which all windows are closed; absent where none of the latest days is.",
        max_length=10,
    )
    day_end_time: str | None = time_field("When the day ended.")
    owners: tuple[OwnerCost, ...] = Field(
        (),
        description="The 20 teams that cost most, `unowned` and `other`; the table has all.",
        max_length=22,
        json_schema_extra=list_map("owner"),
    )


class AnalysisStatus(Contract):
    """State of one analysis."""

    table: str = Field(description="Its `table`.", max_length=63)
    type: AnalyticsJobType = Field(description="Its `type`.")
    phase: Literal["Pending", "Starting", "Running", "Suspended", "Succeeded", "Failed"] | None = Field(
        None, description="Where it is in its life."
    )
    last_run: LastRun | None = Field(None, description="The last run, or the current one while it streams.")
    lag: Lag | None = Field(None, description="How far behind it is.")
    ledger: tuple[HopLedger, ...] = Field(
        (),
        description="Its ledger of the present driver, in records: the hop table.",
        max_length=8,
        json_schema_extra=list_map("hop"),
    )
    scheduled_since_time: str | None = time_field("Since when times of `run.schedule` count.")
    last_schedule_time: str | None = time_field("When the last run of `run.schedule` was due.")
    last_successful_time: str | None = time_field("When the last run of `run.schedule` that ended well did so.")
    finished_runs: tuple[FinishedRun, ...] = Field(
        (),
        description="Runs of `run.once` that have ended, at most the last 50; drivers remember more beside the "
        "checkpoint.",
        max_length=50,
        json_schema_extra=list_map("id"),
    )
    findings: tuple[JobFinding, ...] = Field(
        (),
        description="What it found wrong, at most 20 examples; the table has all.",
        max_length=20,
        json_schema_extra=list_map("kind", "subject"),
    )
    finding_counts: dict[str, Annotated[int, Field(description="How many of that kind.", ge=0)]] = Field(
        default_factory=dict,
        description="How many of each kind were found; absent while nothing was computed.",
        max_length=32,
    )
    findings_total: int | None = Field(
        None, description="How many were found; absent while nothing was computed.", ge=0
    )
    costs: JobCosts | None = Field(None, description="What was used costs; of the type CostAttribution alone.")
    table_path: str | None = Field(None, description="Where the table is.", max_length=1024)
    table_version: int | None = Field(None, description="Version of the Delta table last written.", ge=0)
    data_loss: tuple[DataLoss, ...] = Field(
        (),
        description="Exact ranges that were gone before they were read, at most 20; the table of losses has all.",
        max_length=20,
        json_schema_extra=list_map("topic", "partition", "firstOffset"),
    )
    data_loss_total: int | None = Field(None, description="How many ranges; absent while none was lost.", ge=0)


class AnalyticsJobStatus(Status):
    """State of the driver and of each analysis."""

    cluster_id: str | None = Field(
        None, description="Id of the Kafka cluster whose offsets the checkpoint holds.", max_length=64
    )
    application_id: str | None = Field(None, description="Spark's id of the application.", max_length=128)
    driver_pod: str | None = Field(None, description="Pod of the driver.", max_length=253)
    analyses: tuple[AnalysisStatus, ...] = Field(
        (), description="State of each analysis, by table.", max_length=1, json_schema_extra=list_map("table")
    )

    def entry(self, analysis: Analysis) -> AnalysisStatus:
        """Return the entry of an analysis, an empty one if there is none."""
        found = (entry for entry in self.analyses if entry.table == analysis.table)
        return next(found, AnalysisStatus(table=analysis.table, type=analysis.type))
