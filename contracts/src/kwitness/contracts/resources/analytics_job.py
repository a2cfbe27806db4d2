"""AnalyticsJob: one Spark driver over the platform's topics, with one Delta table for each analysis."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from .analyses import Analysis
from .analytics_status import AnalyticsJobStatus
from .connection import CLIENT_CONNECTION_RULES, Authentication, ClientTls
from .contract_model import Contract, Rule, list_map, rules
from .meta import API_VERSION, ObjectMeta, child_name_rule
from .precedence import priority_field
from .quantities import Quantity, within
from .references import ClusterRef
from .standstill import suspend_field

__all__ = ["AnalyticsJob", "AnalyticsJobSpec", "Executors"]


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
    """Analyses, the cluster that they read, and the Spark driver that computes them."""

    model_config = ConfigDict(json_schema_extra=rules(*CLIENT_CONNECTION_RULES))
    analyses: tuple[Analysis, ...] = Field(
        description="What is computed, by table: one item for now. A table cannot be changed: make another "
        "AnalyticsJob.",
        min_length=1,
        max_length=1,
        json_schema_extra={
            **list_map("table"),
            **rules(
                Rule(
                    "self.all(entry, oldSelf.exists(former, former.table == entry.table))",
                    "table cannot be changed: make another AnalyticsJob",
                )
            ),
        },
    )
    cluster_ref: ClusterRef = Field(
        description="The cluster whose topics are read; the checkpoint holds offsets of this cluster and no other. It "
        "cannot be changed: make another AnalyticsJob.",
        json_schema_extra=rules(Rule("self == oldSelf", "cannot be changed: make another AnalyticsJob")),
    )
    cluster_id: str | None = Field(
        None,
        description="The cluster id to accept. Absent: the first one seen; when the KafkaCluster then shows another, "
        "nothing runs until it is named here, and the table's folder has to be removed before.",
        min_length=1,
        max_length=64,
        pattern=r"^[A-Za-z0-9_-]+$",
    )
    authentication: Authentication = Field(
        default_factory=Authentication,
        description="Who driver and executors are towards Kafka. They need to read the platform's topics and nothing "
        "else; never the administrator's credential.",
    )
    tls: ClientTls = Field(default_factory=ClientTls, description="The job's certificates towards Kafka.")
    executors: Executors = Field(default_factory=Executors, description="Spark executors.")
    suspend: bool = suspend_field("nothing runs; table and checkpoint stay")
    priority: int = priority_field("AnalyticsJobs of this namespace that write the same table")

    @property
    def analysis(self) -> Analysis:
        """Return the only one, for now."""
        return self.analyses[0]


class AnalyticsJob(Contract):
    """Runs an analysis on Spark."""

    model_config = ConfigDict(json_schema_extra=child_name_rule(40))
    api_version: Literal["kwitness.dev/v1beta1"] = API_VERSION
    kind: Literal["AnalyticsJob"] = "AnalyticsJob"
    metadata: ObjectMeta
    spec: AnalyticsJobSpec = Field(
        description="Analyses, the cluster that they read, and the Spark driver that computes them."
    )
    status: AnalyticsJobStatus | None = Field(None, description="State of the driver and of each analysis.")
