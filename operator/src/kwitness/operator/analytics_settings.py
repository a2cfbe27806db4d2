"""Reads what the Helm values decide for AnalyticsJobs."""

from __future__ import annotations

import re
from typing import Final

from pydantic import ConfigDict, Field, model_validator

from kwitness.operator.pod_values import PodValues, SettingsBlock

__all__ = ["AnalyticsSettings", "StorageSettings", "WebIdentitySettings"]

#: Of names of Hadoop's settings: what is a secret belongs into a Secret.
_SECRET_SETTING: Final = re.compile(
    r"secret|password|access\.key|session\.token|account\.key|encryption\.key|fixed\.token"
)


class WebIdentitySettings(SettingsBlock):
    """A role that pods take by a token of their service account, where nothing else in the cluster arranges that."""

    role_arn: str | None = Field(None, description="Role of the web identity; null: none is asked for here.")
    audience: str = Field("sts.amazonaws.com", description="Audience of the token.")


class StorageSettings(SettingsBlock):
    """The object store of the tables, where ``tableRoot`` is in one."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    endpoint: str | None = Field(None, description="URL of a store other than the cloud's own.")
    region: str | None = Field(None, description="Region of the bucket; null: found out, or us-east-1 at an endpoint.")
    path_style: bool = Field(True, description="With an endpoint: the bucket is named in the path and not in the host.")
    keys_secret: str | None = Field(
        None,
        description="Secret, of this name in each analytics namespace, with accessKeyId, secretAccessKey and"
        " sessionToken, which may be missing; null: a web identity, or whatever else the cloud gives to pods.",
    )
    web_identity: WebIdentitySettings = Field(
        default_factory=WebIdentitySettings, description="A role that pods take by a token."
    )
    settings: dict[str, str] = Field(
        default_factory=dict, description="Settings of Hadoop's file systems by name (fs...), without secrets."
    )

    @model_validator(mode="after")
    def _tells_no_secret(self) -> StorageSettings:
        for name in self.settings:
            if not name.startswith("fs."):
                raise ValueError(f"settings.{name} is no setting of a file system: these begin with fs.")
            if _SECRET_SETTING.search(name):
                raise ValueError(f"settings.{name} is a secret, and settings are shown to many: use keysSecret")
        if self.keys_secret and self.web_identity.role_arn:
            raise ValueError("keysSecret and webIdentity.roleArn are two identities: give one")
        if self.web_identity.role_arn and not self.region:
            raise ValueError("webIdentity.roleArn needs region, where the token is exchanged")
        return self


class DriverSettings(SettingsBlock):
    """Spark drivers."""

    # Helm values write amounts without unit as numbers.
    model_config = ConfigDict(coerce_numbers_to_str=True)

    resources: dict[str, dict[str, str]] = Field(
        default_factory=lambda: {"requests": {"cpu": "250m", "memory": "1Gi"}, "limits": {"memory": "1536Mi"}},
        description="Resources of the driver.",
    )
    memory: str = Field("700m", description="Heap of the driver, as Spark writes it.")
    pod: PodValues = Field(default_factory=PodValues, description="Pods of drivers.")


class ExecutorSettings(SettingsBlock):
    """Spark executors; their cores and memory are the AnalyticsJob's."""

    pod: PodValues = Field(default_factory=PodValues, description="Pods of executors.")


class AnalyticsSettings(SettingsBlock):
    """Where AnalyticsJobs may run and where their tables are."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    namespaces: list[str] = Field(
        default_factory=list,
        description="Namespaces with a service account and a Role for drivers; an AnalyticsJob elsewhere is refused.",
    )
    table_root: str = Field(
        "file:///var/lib/kwitness/tables",
        description="Root of all tables: a path under the claim's mount, or an object store such as s3a://bucket/kwitness.",
    )
    table_claim: str | None = Field(
        None,
        description="PersistentVolumeClaim, of this name in each analytics namespace, mounted at /var/lib/kwitness.",
    )
    storage: StorageSettings = Field(default_factory=StorageSettings, description="The object store of the tables.")
    poll_seconds: float = Field(
        10.0,
        gt=0,
        le=30,
        description="Seconds between questions to a driver that runs, which answers for 45 s after its end; a schedule"
        " is looked at three times as rarely between its runs.",
    )
    single_node: bool = Field(
        False, description="States that the cluster has one node, where the claim need not be ReadWriteMany."
    )
    service_account: str = Field("kwitness-spark", description="Service account of drivers and executors.")
    driver: DriverSettings = Field(default_factory=DriverSettings, description="Drivers.")
    executor: ExecutorSettings = Field(default_factory=ExecutorSettings, description="Executors.")
    spark_user: int | None = Field(185, description="User id in the Spark image; null where the cluster assigns one.")
