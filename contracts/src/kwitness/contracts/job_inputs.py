"""What each type of AnalyticsJob reads besides topics: the operator finds it, and hands it over in job.json.

`kwitness.jobs.frame.job.Inputs` says it of the job itself; a test holds both together.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from .resources.analyses import AnalyticsJobType

__all__ = ["JOB_INPUTS", "JobInputs", "NamedJob"]


class NamedJob(NamedTuple):
    """An AnalyticsJob whose table is read; `parameter` of the type's settings refers to it, where that is given."""

    parameter: str
    type: AnalyticsJobType
    optional: bool = False


class JobInputs(NamedTuple):
    """What a type reads.

    Attributes
    ----------
    topics
        Whether it reads topics; if not, it needs no Kafka cluster, and asks one what it stores.
    tables
        Other AnalyticsJobs, of the same namespace and KafkaCluster.
    owners
        Whether rows or findings name owners, as the KafkaCluster has them.
    rate_card
        Which parameter names the ConfigMap with a rate card; empty: none does.
    second_cluster
        Which parameter has clusterRef, authentication and tls of a second cluster, likewise.
    """

    topics: bool = True
    tables: tuple[NamedJob, ...] = ()
    owners: bool = False
    rate_card: str = ""
    second_cluster: str = ""


JOB_INPUTS: Mapping[AnalyticsJobType, JobInputs] = MappingProxyType(
    {
        "CostAttribution": JobInputs(
            topics=False,
            tables=(
                NamedJob("traffic_job_ref", "Traffic"),
                NamedJob("header_drift_job_ref", "HeaderDrift", optional=True),
            ),
            owners=True,
            rate_card="rate_card_config_map_ref",
        ),
        "ClientInventory": JobInputs(owners=True),
        "Completeness": JobInputs(owners=True),
        "EndToEndLatency": JobInputs(owners=True),
        "HeaderDrift": JobInputs(owners=True),
        "LatencySlo": JobInputs(owners=True),
        "MirrorAudit": JobInputs(second_cluster="target"),
        "Traffic": JobInputs(owners=True),
        "UnusedTopics": JobInputs(owners=True),
        "UpgradeImpact": JobInputs(owners=True),
    }
)
"""Types that are not here read topics alone."""
