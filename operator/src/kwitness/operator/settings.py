"""What the Helm values decide for the operator: one JSON file, rendered by the chart into a mounted ConfigMap.

Field order follows the chart's ``values.yaml``. Nothing comes from the environment but the pod's own name and
namespace: a setting that can be changed in two places is one that nobody can look up.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import ConfigDict, Field, model_validator

from kwitness.contracts.allowed_hosts import AllowedHosts, MalformedHostsError
from kwitness.contracts.denied_addresses import LINK_LOCAL, DeniedAddresses
from kwitness.contracts.dns_label import DNS_LABEL
from kwitness.contracts.endpoints import PROBE_PORT
from kwitness.contracts.namespaces import ANY_NAMESPACE, contains_namespace
from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.resources.quantities import mebibytes
from kwitness.operator.analytics_settings import AnalyticsSettings
from kwitness.operator.pod_values import PodValues, SettingsBlock, TrustBundle
from kwitness.runtime.settings_file import read_settings

__all__ = [
    "DEFAULT_SETTINGS_FILE",
    "CredentialSettings",
    "ImageSettings",
    "OperatorSettings",
    "OtherNamespaces",
    "PodSettings",
    "load_settings",
]

DEFAULT_SETTINGS_FILE: Final = Path("/etc/kwitness/operator/settings.json")
"""Where the chart mounts the ConfigMap ``kwitness-operator``, key ``settings.json``."""


class ImageSettings(SettingsBlock):
    """Images of the pods that the operator makes, each ``registry/repository:tag`` or with a digest."""

    collector: str = Field(description="Image of TelemetryCollector pods.")
    collector_pull_policy: str = Field("IfNotPresent", description="Pull policy of the collector's image.")
    observer: str | None = Field(None, description="Image of ObserverDeployment pods; absent: no observers.")
    observer_pull_policy: str = Field("IfNotPresent", description="Pull policy of the observer's image.")
    observer_host: str | None = Field(
        None, description="Image of observer hosts, with the classes that they call; absent: none can be run."
    )
    observer_host_pull_policy: str = Field("IfNotPresent", description="Pull policy of that image.")
    interceptors: str | None = Field(
        None, description="Image with the files of interceptors; absent: InterceptorProfiles are refused."
    )
    interceptors_pull_policy: str = Field("IfNotPresent", description="Pull policy of that image.")
    spark: str | None = Field(None, description="Image of AnalyticsJob drivers and executors; absent: no analytics.")
    spark_pull_policy: str = Field("IfNotPresent", description="Pull policy of that image.")


class PodSettings(SettingsBlock):
    """Settings for all pods that the operator makes; users of the resources cannot set them."""

    run_as_user: int | None = Field(
        65532,
        description="User id of collectors, observers and observer hosts; null where the cluster assigns one"
        " (OpenShift).",
    )
    fs_group: int | None = Field(65532, description="Group that owns volumes; null where the cluster assigns one.")


class CollectorSettings(SettingsBlock):
    """Defaults for the TelemetryCollector's pods."""

    # Helm values write amounts without unit as numbers.
    model_config = ConfigDict(coerce_numbers_to_str=True)

    service_account: str = Field(
        "kwitness-collector", description="Service account of the pods; the chart makes it in each of the namespaces."
    )
    namespaces: list[str] | None = Field(
        None,
        description="Namespaces with that service account; a TelemetryCollector elsewhere is refused. null: every one.",
    )
    service_monitors: bool = Field(
        False, description="Whether the operator may make ServiceMonitors for TelemetryCollectors that ask for one."
    )
    client_pods: list[str] = Field(
        default_factory=list,
        description="Namespaces whose pods the operator may list, so that collectors find the pods of pushing clients "
        "by their addresses, where a KafkaCluster has listeners with clientPods; ['*'] for all.",
    )
    resources: dict[str, dict[str, str]] = Field(
        default_factory=lambda: {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "512Mi"}},
        description="Resources where the TelemetryCollector names none.",
    )
    pod: PodValues = Field(
        default_factory=PodValues, description="Pods of collectors; spec.pod of a TelemetryCollector comes before it."
    )
    storage_class: str | None = Field(
        None, description="StorageClass of a new collector's state where its resource names none; null: an emptyDir."
    )


class SidecarDefaults(SettingsBlock):
    """Defaults for observers in clients' and brokers' pods."""

    # Helm values write amounts without unit as numbers.
    model_config = ConfigDict(coerce_numbers_to_str=True)

    resources: dict[str, dict[str, str]] = Field(
        default_factory=lambda: {"requests": {"cpu": "20m", "memory": "32Mi"}, "limits": {"memory": "256Mi"}},
        description="Resources of observers in clients' pods. No limit on CPU, which would hold up clients.",
    )


class ObserverDefaults(SettingsBlock):
    """Defaults for the ObserverDeployment's pods."""

    # Helm values write amounts without unit as numbers.
    model_config = ConfigDict(coerce_numbers_to_str=True)

    resources: dict[str, dict[str, str]] = Field(
        default_factory=lambda: {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
        description="Resources of gateways that name none in spec.gateway.resources. No limit on CPU, which would hold "
        "up clients.",
    )
    pod: PodValues = Field(
        default_factory=PodValues,
        description="Pods of gateways; spec.gateway.pod of an ObserverDeployment comes before it.",
    )
    sidecar: SidecarDefaults = Field(default_factory=SidecarDefaults, description="Observers in clients' pods.")
    transparent_user: int = Field(
        61532,
        ge=1,
        description="User id of observers that connections are redirected to. Their own connections are told from the"
        " application's by it, so no application may have it.",
    )


class InterceptorDefaults(SettingsBlock):
    """Defaults for the init container that brings interceptors into pods."""

    # Helm values write amounts without unit as numbers.
    model_config = ConfigDict(coerce_numbers_to_str=True)

    resources: dict[str, dict[str, str]] = Field(
        default_factory=lambda: {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"memory": "64Mi"}},
        description="Resources of the init container; it has ended when the application begins.",
    )


class OtherNamespaces(SettingsBlock):
    """Where ObserverDeployments and InterceptorProfiles act beside their own namespace."""

    from_: list[str] = Field(
        default_factory=list,
        alias="from",
        description="Namespaces whose ObserverDeployments and InterceptorProfiles may select pods of other namespaces;"
        " in a pod that several of them select, the first of the list prevails.",
    )
    to: list[str] = Field(
        default_factory=list,
        max_length=1_000,
        description="Namespaces whose pods these may select, of those with the label; ['*'] for all of them.",
    )


class InjectorSettings(SettingsBlock):
    """What the operator knows of the injector."""

    enabled: bool = Field(
        False, description="Whether the installation has one; else spec.sidecar and spec.broker are refused."
    )
    other_namespaces: OtherNamespaces = Field(
        default_factory=OtherNamespaces, description="Where ObserverDeployments act beside their own namespace."
    )


class ObserverHostDefaults(SettingsBlock):
    """Defaults for the pods of observer hosts."""

    # Helm values write amounts without unit as numbers.
    model_config = ConfigDict(coerce_numbers_to_str=True)

    resources: dict[str, dict[str, str]] = Field(
        default_factory=lambda: {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "512Mi"}},
        description="Resources of observer hosts, in which the classes have to do as well.",
    )
    pod: PodValues = Field(default_factory=PodValues, description="Pods of observer hosts.")


class LimitSettings(SettingsBlock):
    """Upper bounds for what users of the resources may ask."""

    min_interval: str = Field(
        "10s", description="Shortest interval of a ClientMetricsSubscription, such as 10s; else IntervalTooShort."
    )
    max_collector_replicas: int = Field(
        8, ge=1, description="Most replicas of a TelemetryCollector; else LimitExceeded."
    )
    max_executor_instances: int = Field(8, ge=1, description="Most executors of an AnalyticsJob; else LimitExceeded.")
    max_executor_cores: int = Field(4, ge=1, description="Most cores of an executor; else LimitExceeded.")
    max_executor_memory: str = Field("8Gi", description="Most heap of an executor; else LimitExceeded.")
    denied_addresses: tuple[str, ...] = Field(
        LINK_LOCAL, description="Networks that neither operator nor collectors connect to; else AddressDenied."
    )

    @model_validator(mode="after")
    def _can_be_read(self) -> LimitSettings:
        DeniedAddresses.from_networks(self.denied_addresses)
        parse_duration(self.min_interval)
        mebibytes(self.max_executor_memory)
        return self


class CredentialSettings(SettingsBlock):
    """What the installation says of Secrets that others write."""

    hosts: dict[str, str] = Field(
        default_factory=dict,
        description="By <namespace>/<Secret>: the addresses its credential may be sent to, as the key hosts of a "
        "Secret has them. Where the Secret has that key too, both must allow.",
    )

    @model_validator(mode="after")
    def _can_be_read(self) -> CredentialSettings:
        for name, text in self.hosts.items():
            try:
                AllowedHosts.parse(text)
            except MalformedHostsError as error:
                raise ValueError(f"{name}: {error}") from error
        return self

    def hosts_of(self, namespace: str, secret: str) -> str | None:
        """The list for one Secret, None where nothing is said of it."""
        return self.hosts.get(f"{namespace}/{secret}")


class OperatorSettings(SettingsBlock):
    """Everything the operator is told, with units and reasons."""

    namespace: str = Field(pattern=DNS_LABEL, description="Namespace of the release: the operator's own.")
    watch_namespaces: list[str] = Field(
        min_length=1, description="Namespaces whose resources are served; exactly ['*'] for all of them."
    )
    installation: str | None = Field(
        None,
        pattern=r"^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$",
        description="Name of this installation in broker configs; null: made once and kept in kwitness-installation.",
    )
    service_account: str = Field(
        "kwitness-operator", description="The operator's own service account, of which it asks for tokens."
    )
    images: ImageSettings = Field(description="Images of the pods that the operator makes.")
    image_pull_secrets: list[str] = Field(
        default_factory=list, description="Names of pull secrets, which must be in each watched namespace."
    )
    trust_bundle: TrustBundle | None = Field(
        None,
        description="ConfigMap of each namespace with collectors, gateways, observer hosts or drivers: configMap, and"
        " key of CA certificates that they trust beside the system's.",
    )
    pods: PodSettings = Field(default_factory=PodSettings, description="Settings for all pods that the operator makes.")
    collector: CollectorSettings = Field(
        default_factory=CollectorSettings, description="Defaults for the TelemetryCollector's pods."
    )
    observer: ObserverDefaults = Field(
        default_factory=ObserverDefaults, description="Defaults for the ObserverDeployment's pods."
    )
    interceptors: InterceptorDefaults = Field(
        default_factory=InterceptorDefaults, description="Defaults for the interceptors in pods."
    )
    injector: InjectorSettings = Field(
        default_factory=InjectorSettings, description="What the operator knows of the injector."
    )
    observer_host: ObserverHostDefaults = Field(
        default_factory=ObserverHostDefaults, description="Defaults for the pods of observer hosts."
    )
    analytics: AnalyticsSettings = Field(
        default_factory=AnalyticsSettings, description="Where AnalyticsJobs may run and where their tables are."
    )
    ruling_clusters: list[str] = Field(
        default_factory=list,
        description="KafkaClusters, as namespace/name, that rule where several lead to one Kafka; else the first does.",
    )
    credentials: CredentialSettings = Field(
        default_factory=CredentialSettings, description="What the installation says of Secrets that others write."
    )
    limits: LimitSettings = Field(
        default_factory=LimitSettings, description="Upper bounds for what users of the resources may ask."
    )
    elects_leader: bool = Field(
        False,
        description="Whether it works only while it holds the Lease kwitness-operator, as one of several replicas.",
    )
    resync_seconds: float = Field(
        600.0, gt=0, description="Seconds after which each resource is looked at again, though nothing happened."
    )
    inventory_seconds: float = Field(
        15.0, gt=0, description="Seconds between looks at a collector's inventory, which decide on clients at risk."
    )
    status_seconds: float = Field(
        60.0, ge=0.5, description="Least seconds between two writes of a status that differ in live numbers only."
    )
    stall_seconds: float = Field(
        300.0, gt=0, description="Seconds without a successful list or watch of a kind after which liveness fails."
    )
    probe_port: int = Field(PROBE_PORT, ge=0, description="Port of /metrics, /healthz and /readyz.")
    log_level: str = Field("INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$", description="Least level that is logged.")

    @model_validator(mode="after")
    def _star_stands_alone(self) -> OperatorSettings:
        if ANY_NAMESPACE in self.watch_namespaces and len(self.watch_namespaces) > 1:
            raise ValueError("watchNamespaces: '*' means every namespace; leave it alone or name namespaces only")
        return self

    @property
    def watches_everything(self) -> bool:
        """Whether all namespaces are served."""
        return self.watch_namespaces == [ANY_NAMESPACE]

    @property
    def sees_every_namespace(self) -> bool:
        """Whether pods of any namespace may get observers."""
        return self.watches_everything or ANY_NAMESPACE in self.injector.other_namespaces.to

    @property
    def seen_namespaces(self) -> list[str]:
        """Where pods may get observers, unless that is every namespace."""
        return sorted({*self.watch_namespaces, *self.injector.other_namespaces.to})

    def watches(self, namespace: str) -> bool:
        """Whether the resources of ``namespace`` are served."""
        return contains_namespace(self.watch_namespaces, namespace)


def load_settings(path: Path) -> OperatorSettings:
    """Read the settings file.

    Raises
    ------
    SettingsError
        If the file cannot be read, is not JSON, or a field is wrong.
    """
    return read_settings(path, OperatorSettings)
