"""GET /status of an AnalyticsJob's driver: how its run goes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .envelope_model import Count, Envelope, Milliseconds

__all__ = [
    "DriverCosts",
    "DriverFinding",
    "DriverLag",
    "DriverLedger",
    "DriverPhase",
    "DriverRun",
    "DriverStatus",
    "LossReason",
    "LostRecords",
    "OwnerCost",
]

DriverPhase = Literal["Starting", "Running", "Succeeded", "Failed"]
LossReason = Literal["Expired", "CheckpointLost", "TopicRecreated"]


class DriverRun(Envelope):
    """The present run, or the last one."""

    start_ms: Milliseconds | None = Field(None, description="When it began, in milliseconds since 1970.")
    end_ms: Milliseconds | None = Field(None, description="When it ended; absent while it runs.")
    rows: Count = Field(0, description="Records read.")
    batches: Count = Field(0, description="Micro-batches finished.")
    quarantined: Count = Field(0, description="Records that could not be decoded.")


class DriverLag(Envelope):
    """How far behind the run is."""

    records: Count | None = Field(None, description="Records not read yet.")
    oldest_timestamp_ms: Milliseconds | None = Field(
        None, description="Time of the oldest of them, in milliseconds since 1970."
    )


class DriverLedger(Envelope):
    """The driver's ledger within its life, in records: accepted = delivered + queued + dropped."""

    hop: Literal["table"] = Field("table", description="The hop.")
    accepted: Count = Field(0, description="Taken into a micro-batch, or gone before one could take them.")
    delivered: Count = Field(0, description="In the table.")
    queued: Count = Field(0, description="In the batch that runs now.")
    dropped: dict[str, Count] = Field(default_factory=dict, description="Not in the table, by reason.", max_length=32)


class LostRecords(Envelope):
    """Records that were gone before they were read, both offsets included."""

    topic: Annotated[str, Field(max_length=249)] = Field(description="Topic.")
    partition: Count = Field(description="Partition.")
    first_offset: Count = Field(description="First offset lost.")
    last_offset: Count = Field(description="Last offset lost.")
    reason: LossReason = Field(
        description="Expired: retention removed them. CheckpointLost: they were gone when the job began again without "
        "its checkpoint. TopicRecreated: the topic is a new one, and these of its records were passed over."
    )


class DriverFinding(Envelope):
    """One thing that the analysis found wrong."""

    kind: Annotated[str, Field(min_length=1, max_length=63)] = Field(description="What was found, in UpperCamelCase.")
    subject: Annotated[str, Field(max_length=512)] = Field(description="Of what: a topic, a client, a hop.")
    message: Annotated[str, Field(max_length=1024)] = Field(description="What is wrong, and what to do.")


class OwnerCost(Envelope):
    """Usage of an owner, in micro-units of the currency."""

    owner: Annotated[str, Field(min_length=1, max_length=128)] = Field(
        description="Team; `unowned` is usage without an owner, `other` what belongs to teams that are left out."
    )
    month_micro_units: Count = Field(description="Of the month so far.")
    day_micro_units: Count | None = Field(None, description="Of the day; absent where there is no day.")


class DriverCosts(Envelope):
    """Costs of the present month and of the last day that is over, by owner."""

    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = Field(description="Code of the currency.")
    month: Annotated[str, Field(pattern=r"^\d{4}-\d\d$")] = Field(description="The latest month, such as 2028-02.")
    day: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$")] | None = Field(
        None, description="The last day of which all windows are closed; absent where none of the latest days is."
    )
    day_end_ms: Milliseconds | None = Field(None, description="Its end, in milliseconds since 1970.")
    owners: tuple[OwnerCost, ...] = Field(
        (), description="The 20 teams that cost most, `unowned` and `other`.", max_length=22
    )


class DriverStatus(Envelope):
    """What a driver says about itself; what is not known is absent."""

    phase: DriverPhase = Field(description="Where the run is in its life.")
    reason: str | None = Field(None, description="A reason of AnalyticsJob; absent while all is well.")
    message: str | None = Field(None, description="What failed, with which input, and what to do.")
    application_id: Annotated[str, Field(max_length=128)] | None = Field(None, description="Spark's id.")
    driver_pod: Annotated[str, Field(max_length=253)] | None = Field(None, description="The driver's pod.")
    last_run: DriverRun = Field(default_factory=DriverRun, description="The present run, or the last one.")
    lag: DriverLag = Field(default_factory=DriverLag, description="How far behind the run is.")
    ledger: DriverLedger | None = Field(None, description="The driver's ledger.")
    table_path: str | None = Field(None, description="Where the table is.")
    table_version: Count | None = Field(None, description="Version of the Delta table last written.")
    empty_topics: tuple[Annotated[str, Field(max_length=63)], ...] | None = Field(
        None,
        description="Topics that the job needs and that never had a record, as kwitness.contracts.topics calls them; "
        "absent while that is not known.",
        max_length=16,
    )
    data_loss: tuple[LostRecords, ...] = Field((), description="The ranges lost, at most the last 256.", max_length=256)
    data_loss_total: Count = Field(0, description="How many ranges were lost, those in the table of losses included.")
    findings: tuple[DriverFinding, ...] = Field((), description="Examples of what was found wrong.", max_length=20)
    finding_counts: dict[Annotated[str, Field(max_length=63)], Count] | None = Field(
        None, description="How many of each kind were found; absent while nothing was computed.", max_length=32
    )
    costs: DriverCosts | None = Field(None, description="What was used costs, of the type CostAttribution alone.")
