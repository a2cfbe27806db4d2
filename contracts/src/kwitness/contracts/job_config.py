"""The file that the operator writes for a Spark driver: job.json."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from .endpoints import DRIVER_PORT
from .kafka_connection import KafkaConnection, TopicNames
from .owners import OwnerList
from .rate_card import RateCard
from .resources.analyses import AnalyticsJobType
from .topics import topic_name

__all__ = [
    "ExecutorsConfig",
    "JobConfig",
    "JobPaths",
    "JobTopics",
    "RunConfig",
    "SecondCluster",
    "StorageConfig",
    "job_paths",
]


class _Config(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class RunConfig(_Config):
    """When the job runs; a run with an `id` never runs again once it has ended."""

    mode: Literal["streaming", "once"] = "streaming"
    id: str = ""
    trigger_seconds: float = 30.0
    starting: Literal["earliest"] = "earliest"


class ExecutorsConfig(_Config):
    """Spark executors; `memory` as Spark writes it (1g, 1024m)."""

    instances: int = Field(1, ge=0)
    cores: int = 1
    memory: str = "1g"
    image: str = ""
    image_pull_policy: str = "IfNotPresent"
    pod_template_file: str | None = None
    service_account: str = "kwitness-spark"


class JobTopics(TopicNames):
    """Full names of all topics that a job may read, by what the registry calls them."""

    traffic: str = "kwitness.traffic"
    requests: str = "kwitness.requests"
    interceptions: str = "kwitness.interceptions"
    headers: str = "kwitness.headers"
    seals: str = "kwitness.seals"

    @classmethod
    def with_prefix(cls, prefix: str) -> JobTopics:
        """The names on a cluster whose topics begin with `prefix`."""
        return cls(**{kind: topic_name(prefix, kind) for kind in cls.model_fields})


class SecondCluster(_Config):
    """A Kafka cluster that is compared with the job's own; `kafka` has a credential of its own."""

    cluster_id: str
    kafka: KafkaConnection
    topics: JobTopics = Field(default_factory=JobTopics)


class StorageConfig(_Config):
    """Where an object store is, and as whom it is asked; without keys as whom the cloud takes the pod for.

    Attributes
    ----------
    endpoint
        Of a store other than the cloud's own; None for that.
    path_style
        Whether buckets are named in the path, and not in the host, where there is an `endpoint`.
    keys_folder
        A folder with the files `accessKeyId` and `secretAccessKey`, and `sessionToken` where keys are short-lived.
    settings
        Of Hadoop's file systems by name, without secrets.
    """

    endpoint: str | None = None
    region: str | None = None
    path_style: bool = True
    keys_folder: str | None = None
    settings: dict[str, str] = Field(default_factory=dict)


class JobPaths(NamedTuple):
    """Where the parts of a job are, as `JobConfig` has them."""

    table_path: str
    checkpoint_path: str
    quarantine_path: str
    identity_path: str


def job_paths(folder: str) -> JobPaths:
    """The parts of the job in a folder; `facts_path` of `JobConfig` is beside them."""
    return JobPaths(*(f"{folder}/{name}" for name in ("table", "checkpoint", "quarantine", "identity.json")))


class JobConfig(_Config):
    """Everything one driver needs to know; parameters are the keys of the type's block in `parameters`, in snake_case.

    At `identity_path`, a file beside the checkpoint, drivers remember of which cluster, job and runs it is; empty where
    nothing is to be remembered. `uid` is that of the AnalyticsJob. `input_tables` are paths of other AnalyticsJobs'
    Delta tables, by their types; `owners` and `rate_card` are what ConfigMaps said when the runner was made.
    """

    type: AnalyticsJobType
    namespace: str = ""
    name: str = ""
    uid: str = ""
    cluster_id: str
    kafka: KafkaConnection
    topics: JobTopics = Field(default_factory=JobTopics)
    run: RunConfig = Field(default_factory=RunConfig)
    table_path: str
    checkpoint_path: str
    quarantine_path: str
    identity_path: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict)
    input_tables: dict[AnalyticsJobType, str] = Field(default_factory=dict)
    owners: OwnerList | None = None
    rate_card: RateCard | None = None
    second: SecondCluster | None = None
    window_seconds: float = 300.0
    status_port: int = DRIVER_PORT
    executors: ExecutorsConfig = Field(default_factory=ExecutorsConfig)
    storage: StorageConfig = Field(default_factory=StorageConfig)

    @property
    def facts_path(self) -> str:
        """Where types with windows keep what records said: beside the table."""
        return f"{self.table_path.rstrip('/').rpartition('/')[0]}/facts"
