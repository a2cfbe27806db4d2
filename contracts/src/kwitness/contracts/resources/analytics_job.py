"""AnalyticsJob: one Spark job over the platform's topics, with one Delta table as result."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import ConfigDict, Field

from .analytics_parameters import PARAMETER_RULES, Parameters
from .connection import CLIENT_CONNECTION_RULES, Authentication, ClientTls
from .contract_model import Contract, Rule, list_map, rules
from .durations import duration_field
from .ledger import HopLedger
from .meta import API_VERSION, ObjectMeta, Status, child_name_rule
from .precedence import priority_field
from .quantities import Quantity, within
from .references import ClusterRef
from .standstill import suspend_field
from .time_zones import time_zone_field

__all__ = [
    "BATCH_JOB_TYPES",
    "JOB_TYPES",
    "AnalyticsJob",
    "AnalyticsJobSpec",
    "AnalyticsJobStatus",
    "AnalyticsJobType",
    "DataLoss",
    "Executors",
    "FinishedRun",
    "JobFinding",
    "Lag",
    "LastRun",
    "Once",
    "Run",
    "Schedule",
    "Streaming",
]

AnalyticsJobType = Literal[
    "ClientInventory",
    "Traffic",
    "UnusedTopics",
    "Completeness",
    "MirrorAudit",
    "LatencySlo",
    "CostAttribution",
    "UpgradeImpact",
    "EndToEndLatency",
    "TelemetryRollup",
    "HeaderDrift",
    "LedgerAudit",
]

JOB_TYPES: tuple[AnalyticsJobType, ...] = get_args(AnalyticsJobType)
"""All of them."""

BATCH_JOB_TYPES: tuple[AnalyticsJobType, ...] = ("MirrorAudit",)
"""Those that run once or at times of the clock alone."""


def _cron_field(value: str) -> str:
    entry = rf"(\*|{value}(-{value})?)(/[1-9][0-9]?)?"
    return f"{entry}(,{entry})*"


_MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC"
_WEEKDAYS = "SUN MON TUE WED THU FRI SAT"


def _in_any_case(names: str) -> str:
    return "|".join("".join(f"[{letter}{letter.lower()}]" for letter in name) for name in names.split(" "))


CRON_PATTERN = (
    "^(@(hourly|daily|weekly|monthly|yearly)|"
    + " ".join(
        _cron_field(value)
        for value in (
            "[0-5]?[0-9]",
            "([01]?[0-9]|2[0-3])",
            "(0?[1-9]|[12][0-9]|3[01])",
            f"(0?[1-9]|1[0-2]|{_in_any_case(_MONTHS)})",
            f"([0-6]|{_in_any_case(_WEEKDAYS)})",
        )
    )
    + ")$"
)
"""A cron expression of five fields within their ranges, one blank between them, or a name such as @daily.

As a CronJob reads it: Sunday is 0 and never 7.
"""

_ALL_NAMES = f"{_MONTHS} {_WEEKDAYS}"
_CRON_RULES = rules(
    *(
        Rule(
            f"self.upperAscii().findAll('{one}-{one}').all(r, {order})",
            "a range begins with its lower end: write 5-6,0-1 or FRI-SAT,SUN-MON in place of 5-1 or FRI-MON",
        )
        for one, order in (
            ("[0-9]+", "int(r.split('-')[0]) <= int(r.split('-')[1])"),
            ("[A-Z]+", f"'{_ALL_NAMES}'.indexOf(r.split('-')[0]) <= '{_ALL_NAMES}'.indexOf(r.split('-')[1])"),
        )
    )
)


class Streaming(Contract):
    """Runs all the time, in micro-batches."""

    trigger: str = duration_field("30s", "How often a micro-batch starts.", minimum="1s", maximum="1h")


class Schedule(Contract):
    """Runs at times of the clock, one run after the other."""

    cron: str = Field(
        description="When runs begin: a cron expression of five fields, or a name such as @daily.",
        min_length=6,
        max_length=128,
        pattern=CRON_PATTERN,
        json_schema_extra=_CRON_RULES,
    )
    time_zone: str = time_zone_field(
        "Whose clock that is: a name of the IANA time zone database, such as Europe/Berlin."
    )
    starting_deadline: str | None = duration_field(
        None,
        "How late a run may still begin, where it could not in time; a later one is left out. Absent: however late.",
        minimum="10s",
        maximum="168h",
    )


class Once(Contract):
    """Runs once over what is there and ends."""

    id: str = Field(
        "1",
        description="Which run it is. A run that has ended, well or not, never runs again; another id is another run.",
        min_length=1,
        max_length=63,
        pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$",
    )


class Run(Contract):
    """When the job runs."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "(has(self.streaming) ? 1 : 0) + (has(self.schedule) ? 1 : 0) + (has(self.once) ? 1 : 0) == 1",
                "exactly one of streaming, schedule and once must be given",
            )
        )
    )
    streaming: Streaming | None = Field(None, description="Runs all the time, in micro-batches.")
    schedule: Schedule | None = Field(None, description="Runs at times of the clock.")
    once: Once | None = Field(
        None, description="Runs once over what is there and ends; again only when `once.id` is another."
    )


class Executors(Contract):
    """Spark executors; the Helm values set the upper bounds (reason LimitExceeded)."""

    instances: int = Field(
        1, description="Number of executors; with 0 the driver works alone, with `cores` of its own.", ge=0, le=1000
    )
    cores: int = Field(1, description="Processors of each.", ge=1, le=64)
    memory: Annotated[Quantity, within("512Mi", "512Gi")] = Field(
        "1Gi", description="Heap of each, from 512Mi to 512Gi; overhead comes on top."
    )


class AnalyticsJobSpec(Contract):
    """What is computed, from which cluster, when, and into which table."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            *CLIENT_CONNECTION_RULES,
            *PARAMETER_RULES,
            Rule(
                f"!(self.type in {list(BATCH_JOB_TYPES)}) || !has(self.run.streaming)",
                f"{', '.join(BATCH_JOB_TYPES)} cannot stream: use schedule or once",
                field_path=".run.streaming",
            ),
        )
    )
    type: AnalyticsJobType = Field(
        description="What is computed.",
        json_schema_extra=rules(
            # Case may change, since the types used to begin with a small letter.
            Rule("self.lowerAscii() == oldSelf.lowerAscii()", "cannot be changed: make another AnalyticsJob")
        ),
    )
    cluster_ref: ClusterRef = Field(
        description="The cluster whose topics are read; the checkpoint holds offsets of this cluster and no other.",
        json_schema_extra=rules(Rule("self == oldSelf", "cannot be changed: make another AnalyticsJob")),
    )
    authentication: Authentication = Field(
        default_factory=Authentication,
        description="Who driver and executors are towards Kafka. They need to read the platform's topics and nothing "
        "else; never the administrator's credential.",
    )
    tls: ClientTls = Field(default_factory=ClientTls, description="The job's certificates towards Kafka.")
    run: Run = Field(description="When the job runs: exactly one of streaming, schedule and once.")
    window: str = duration_field("5m", "Length of the windows of windowed types.", minimum="1s", maximum="168h")
    parameters: Parameters = Field(default_factory=Parameters, description="Settings of the job's type.")
    executors: Executors = Field(default_factory=Executors, description="Spark executors.")
    table: str = Field(
        description="Name of the Delta table, under the namespace's folder of the installation's root.",
        min_length=1,
        max_length=63,
        pattern=r"^[a-z][a-z0-9_]*$",
        json_schema_extra=rules(Rule("self == oldSelf", "cannot be changed: make another AnalyticsJob")),
    )
    suspend: bool = suspend_field("nothing runs; table and checkpoint stay")
    priority: int = priority_field("AnalyticsJobs of this namespace that write the same table")


class LastRun(Contract):
    """The last run, or the current one while it streams."""

    id: str | None = Field(None, description="Its `spec.run.once.id`.", max_length=63)
    succeeded: bool | None = Field(None, description="Whether it ended well; absent while it runs.")
    start: str | None = Field(None, description="When it began, as RFC 3339 in UTC.", max_length=40)
    end: str | None = Field(None, description="When it ended; absent while it runs.", max_length=40)
    rows: int | None = Field(None, description="Rows read.", ge=0)
    batches: int | None = Field(None, description="Micro-batches finished.", ge=0)
    quarantined: int | None = Field(None, description="Rows that could not be decoded.", ge=0)


class Lag(Contract):
    """How far behind the job is."""

    records: int | None = Field(None, description="Records not read yet.", ge=0)
    oldest_timestamp: str | None = Field(
        None, description="Time of the oldest record not read yet, as RFC 3339 in UTC.", max_length=40
    )


class DataLoss(Contract):
    """Records that were gone before the job read them."""

    topic: str = Field(description="Topic.", max_length=249)
    partition: int = Field(description="Partition.", ge=0)
    first_offset: int = Field(description="First offset lost.", ge=0)
    last_offset: int = Field(description="Last offset lost.", ge=0)


class FinishedRun(Contract):
    """A run of `once` that has ended and never runs again."""

    id: str = Field(description="Its `spec.run.once.id`.", max_length=63)
    succeeded: bool = Field(description="Whether it ended well.")


class JobFinding(Contract):
    """One thing that the analysis found wrong."""

    kind: str = Field(description="What was found, in one word.", max_length=63)
    subject: str = Field(description="Of what: a topic, a client, a hop.", max_length=512)
    message: str = Field(description="What is wrong, and what to do.", max_length=1024)
    since: str | None = Field(None, description="When it was found first, as RFC 3339 in UTC.", max_length=40)


class AnalyticsJobStatus(Status):
    """What the job does and has done."""

    phase: Literal["Pending", "Starting", "Running", "Suspended", "Succeeded", "Failed"] | None = Field(
        None, description="Where the job is in its life."
    )
    cluster_id: str | None = Field(
        None, description="Id of the Kafka cluster whose offsets the checkpoint holds.", max_length=64
    )
    application_id: str | None = Field(None, description="Spark's id of the application.", max_length=128)
    driver_pod: str | None = Field(None, description="Pod of the driver.", max_length=253)
    last_run: LastRun | None = Field(None, description="The last run, or the current one while it streams.")
    lag: Lag | None = Field(None, description="How far behind the job is.")
    ledger: tuple[HopLedger, ...] = Field(
        (),
        description="The ledger of the present driver, in records: the hop table.",
        max_length=8,
        json_schema_extra=list_map("hop"),
    )
    scheduled_since: str | None = Field(
        None, description="Since when times of `schedule` count, as RFC 3339 in UTC.", max_length=40
    )
    last_schedule: str | None = Field(
        None, description="When the last run of `schedule` was due, as RFC 3339 in UTC.", max_length=40
    )
    last_successful: str | None = Field(
        None, description="When the last run of `schedule` that ended well did so, as RFC 3339 in UTC.", max_length=40
    )
    finished_runs: tuple[FinishedRun, ...] = Field(
        (),
        description="Runs of `once` that have ended, at most the last 50; drivers remember more beside the checkpoint.",
        max_length=50,
        json_schema_extra=list_map("id"),
    )
    findings: tuple[JobFinding, ...] = Field(
        (),
        description="What the analysis found wrong, at most 20 examples.",
        max_length=20,
        json_schema_extra=list_map("kind", "subject"),
    )
    finding_counts: dict[str, Annotated[int, Field(ge=0)]] = Field(
        default_factory=dict,
        description="How many of each kind were found; absent while nothing was computed.",
        max_length=32,
    )
    findings_total: int | None = Field(
        None, description="How many were found; absent while nothing was computed.", ge=0
    )
    table_path: str | None = Field(None, description="Where the table is.", max_length=1024)
    table_version: int | None = Field(None, description="Version of the Delta table last written.", ge=0)
    data_loss: tuple[DataLoss, ...] = Field(
        (),
        description="Exact ranges that were gone before they were read.",
        max_length=256,
        json_schema_extra=list_map("topic", "partition", "firstOffset"),
    )


class AnalyticsJob(Contract):
    """Runs one analysis on Spark."""

    model_config = ConfigDict(json_schema_extra=child_name_rule(40))
    api_version: Literal["kwitness.dev/v1beta1"] = API_VERSION
    kind: Literal["AnalyticsJob"] = "AnalyticsJob"
    metadata: ObjectMeta
    spec: AnalyticsJobSpec = Field(description="What is computed, from which cluster, when, and into which table.")
    status: AnalyticsJobStatus | None = Field(None, description="What the job does and has done.")
