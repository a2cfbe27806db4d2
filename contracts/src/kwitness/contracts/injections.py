"""The file that the operator writes for the injector: injections.json, and the marks that the injector leaves on pods.

Both are the whole of what the two know of each other. An injection is one ObserverDeployment with everything that a
pod needs: in a tenant's namespace nothing else is made.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kwitness.contracts.dns_label import DnsLabel
from kwitness.contracts.observer_settings import ObserverSettings
from kwitness.contracts.observers import ResourceName
from kwitness.contracts.resources.label_selector import LabelSelector

__all__ = [
    "CONFIG_HASH",
    "INJECT",
    "INJECTION",
    "INJECTIONS_CONFIG_MAP",
    "INJECTIONS_KEY",
    "INJECTION_HASHES_KEY",
    "LEFT_OUT",
    "OBSERVER",
    "OBSERVER_CONTAINER",
    "OBSERVER_FOLDER",
    "OBSERVER_INSTALLATION",
    "OBSERVER_SETTINGS",
    "POD_VOLUME_FOLDER",
    "REDIRECT_CONTAINER",
    "RESERVED_PORTS",
    "InjectedContainer",
    "Injection",
    "InjectionsFile",
    "LeftOutReason",
    "Variables",
    "injection_hash",
    "left_out_text",
    "parse_left_out",
]

INJECTIONS_CONFIG_MAP: Final = "kwitness-injections"
"""Name of the ConfigMap, in the release's namespace."""
INJECTIONS_KEY: Final = "injections.json"
"""Its key."""
INJECTION_HASHES_KEY: Final = "hashes.json"
"""Another key: what the file holds, as `injection_hash` by owner; None for those that found no room."""

INJECTION: Final = "kwitness.dev/injection"
"""Label of a namespace: ``enabled`` lets pods get observers."""
INJECT: Final = "kwitness.dev/inject"
"""Label or annotation of a pod: ``false`` keeps it without."""
OBSERVER: Final = "kwitness.dev/observer"
"""Annotation of a pod with an observer: <namespace>/<name> of the ObserverDeployment."""
CONFIG_HASH: Final = "kwitness.dev/config-hash"
"""Annotation of such a pod: `injection_hash` of what it was given."""
OBSERVER_INSTALLATION: Final = "kwitness.dev/observer-installation"
"""Annotation of such a pod: the installation of kwitness whose injector put the observer there."""
LEFT_OUT: Final = "kwitness.dev/observers-left-out"
"""Annotation of a pod: which ObserverDeployments select it without being beside it, and why, see `left_out_text`."""

OBSERVER_CONTAINER: Final = "kwitness-observer"
"""Name of the container and of its volume."""
OBSERVER_FOLDER: Final = "/etc/kwitness/observer"
"""Where the container finds its files."""
OBSERVER_SETTINGS: Final = f"{OBSERVER_FOLDER}/observer.json"
"""The one with its settings."""
REDIRECT_CONTAINER: Final = f"{OBSERVER_CONTAINER}-redirect"
"""Name of the init container that has connections redirected to the observer."""
RESERVED_PORTS: Final = frozenset({53, 80, 443})
"""Ports that are never redirected: programs of every kind use them."""
POD_VOLUME_FOLDER: Final = "/etc/kwitness/listener"
"""Where the container finds a volume of the pod's own, with the certificate that clients are shown."""

LeftOutReason = Literal[
    "AddressNotOfCluster",
    "AdmissionRefused",
    "AnnotationsTooLong",
    "Conflict",
    "ContainerNotFound",
    "EndedAtStart",
    "HostNetwork",
    "MeshPresent",
    "NameTaken",
    "NoPort",
    "NoRuntime",
    "NoServiceAccount",
    "NotPrivileged",
    "OtherInstallation",
    "PathTaken",
    "PodLevelResources",
    "RunsAsRoot",
    "RuntimeUnsupported",
    "SameUser",
    "SidecarsUnsupported",
    "SwitchedOff",
    "UnknownRuntime",
    "VariableUnknown",
    "VolumeNotFound",
    "Windows",
]
"""Why an ObserverDeployment that selects a pod is not beside it, or an InterceptorProfile's interceptors not in it."""

EnvironmentName = Annotated[str, Field(min_length=1, max_length=253, pattern=r"^[-_a-zA-Z][-._a-zA-Z0-9]*$")]
_FILE: Final = re.compile(re.escape(OBSERVER_FOLDER) + r"/[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?", re.ASCII)

_HASH_DIGITS: Final = 16
_MOST_LEFT_OUT: Final = 20
_SELECTION: Final = {
    "namespace_selector",
    "namespaces",
    "pod_selector",
    "priority",
    "addresses",
    "refused_in",
    "installation",
}
"""What decides on a pod and is not in it."""


class _Config(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Variables(_Config):
    """Names of environment variables, by what they tell an application."""

    bootstrap_servers: tuple[EnvironmentName, ...] = Field(min_length=1, max_length=16)
    security_protocol: tuple[EnvironmentName, ...] = Field((), max_length=16)
    ca_file: tuple[EnvironmentName, ...] = Field((), max_length=16)


class InjectedContainer(_Config):
    """What the installation says of the container; ``run_as_user`` is None where the cluster assigns one."""

    image: str = Field(min_length=1)
    pull_policy: Literal["Always", "IfNotPresent", "Never"] = "IfNotPresent"
    pull_secrets: tuple[ResourceName, ...] = ()
    resources: dict[str, dict[str, str]] = Field(default_factory=dict)
    run_as_user: int | None = Field(None, ge=1)


class Injection(_Config):
    """One ObserverDeployment beside clients or brokers, as the mode in `settings` says.

    Attributes
    ----------
    namespace_selector
        Namespaces whose pods are meant; None: only pods of the resource's own namespace.
    namespaces
        Of those that are selected, the ones that the installation allows; None: all.
    pod_selector
        Pods; empty: every pod.
    containers
        Whose variables are rewritten, init containers too; empty: every container's.
    intercept
        ``env``: the variables are rewritten. ``none``: the application uses 127.0.0.1 by itself, and so it is
        beside brokers. ``transparent``: rules in the pod redirect connections to the observer, but for those of the
        observer's own user id. ``inbound``, beside brokers: rules redirect those that come from outside of the pod.
    addresses
        host:port by which clients know the listener. A variable that names none of them is another cluster's.
    address_namespace
        In which short host names of `addresses` are looked up.
    client_protocol
        What an application speaks to the observer.
    settings
        What the observer starts with. Ports move together where the pod has one of them; files are in OBSERVER_FOLDER.
        Beside brokers ``upstream.nodes`` are the addresses of all, by which each pod's own is known.
    upstream_ca, collector_ca
        PEM, for the files that `settings` names.
    pod_volume
        Name of a volume that the pod has, mounted at POD_VOLUME_FOLDER; beside brokers alone.
    token_audience
        Of the token for the collector, for the file that `settings` names; None where nothing is reported.
    refused_in
        Namespaces in which admission refused pods because of the observer: it is left out there.
    installation
        The installation of kwitness, by which its injector knows its own pods; None before it has a name.
    """

    installation: ResourceName | None = None
    namespace: DnsLabel
    name: ResourceName
    priority: int = 0
    namespace_selector: LabelSelector | None = None
    namespaces: tuple[DnsLabel, ...] | None = None
    pod_selector: LabelSelector
    containers: tuple[str, ...] = ()
    intercept: Literal["env", "inbound", "none", "transparent"] = "env"
    variables: Variables | None = None
    addresses: tuple[str, ...] = ()
    address_namespace: DnsLabel
    client_protocol: Literal["PLAINTEXT", "SASL_PLAINTEXT"] = "PLAINTEXT"
    observer: InjectedContainer
    settings: ObserverSettings
    upstream_ca: str | None = None
    collector_ca: str | None = None
    token_audience: str | None = None
    pod_volume: DnsLabel | None = None
    refused_in: tuple[DnsLabel, ...] = ()

    @property
    def owner(self) -> str:
        """<namespace>/<name> of the ObserverDeployment."""
        return f"{self.namespace}/{self.name}"

    @property
    def is_beside_broker(self) -> bool:
        """Return whether it is beside brokers."""
        return self.settings.mode == "broker"

    @property
    def redirects(self) -> bool:
        """Whether rules in the pod bring connections to the observer."""
        return self.intercept in {"inbound", "transparent"}

    @model_validator(mode="after")
    def _fits_together(self) -> Injection:
        if self.is_beside_broker:
            self._fits_a_broker()
        else:
            self._fits_a_client()
        if (self.intercept == "env") != (self.variables is not None):
            raise ValueError("variables: go with intercept env, and only with it")
        self._redirects_what_can_be()
        tls, collector = self.settings.upstream.tls, self.settings.collector
        key_file = self.settings.identity.key_file
        files = {
            "upstream_ca": (self.upstream_ca, tls.ca_file if tls else None),
            "collector_ca": (self.collector_ca, collector.ca_file if collector else None),
            "token_audience": (self.token_audience, collector.token_file if collector else None),
        }
        for field, (content, path) in files.items():
            if (content is None) != (path is None):
                raise ValueError(f"{field}: goes with a file that settings name, and only with it")
            if path is not None and not _FILE.fullmatch(path):
                raise ValueError(f"{field}: settings name {path}, which is no file in {OBSERVER_FOLDER}")
        if key_file is not None and not _FILE.fullmatch(key_file):
            raise ValueError(f"settings: identity.key_file is {key_file}, which is no file in {OBSERVER_FOLDER}")
        named = [OBSERVER_SETTINGS, *(path for path in (key_file, *(path for _, path in files.values())) if path)]
        if len(named) != len(set(named)):
            raise ValueError(f"settings: two files have one name among {', '.join(named)}")
        return self

    def _redirects_what_can_be(self) -> None:
        ports = self.settings.listener.redirected
        if self.redirects != bool(ports):
            raise ValueError("settings: listener.redirected goes with intercept inbound or transparent, and only so")
        if reserved := RESERVED_PORTS & set(ports):
            raise ValueError(f"settings: listener.redirected has {min(reserved)}, which other programs use")
        if ports and (self.settings.upstream.tls is not None or self.settings.listener.tls is not None):
            raise ValueError("settings: TLS does not go with listener.redirected, by which nothing is changed")
        if self.intercept == "transparent" and self.observer.run_as_user is None:
            raise ValueError("observer: intercept transparent needs run_as_user, by which its connections are told")

    def _fits_a_client(self) -> None:
        listener = self.settings.listener
        if self.settings.mode != "sidecar" or listener.bind != "127.0.0.1" or listener.tls is not None:
            raise ValueError("settings: a sidecar has mode sidecar, listener.bind 127.0.0.1 and no listener.tls")
        if self.pod_volume is not None:
            raise ValueError("pod_volume: goes with settings of mode broker, and only with them")
        if self.intercept == "inbound":
            raise ValueError("settings: intercept inbound goes with mode broker, and only with it")

    def _fits_a_broker(self) -> None:
        listener, upstream = self.settings.listener, self.settings.upstream
        if len(upstream.bootstrap_servers) != 1 or upstream.tls is not None or listener.brokers:
            raise ValueError(
                "settings: mode broker has one upstream.bootstrap_servers, no TLS to it, no brokers' ports"
            )
        if (
            self.intercept not in {"inbound", "none"}
            or self.namespace_selector is not None
            or not str(self.pod_selector)
        ):
            raise ValueError(
                "settings: mode broker goes with intercept none or inbound, pod_selector and no namespace_selector"
            )
        tls = listener.tls
        if (tls is None) != (self.pod_volume is None):
            raise ValueError("pod_volume: goes with settings.listener.tls of mode broker, and only with it")
        files = () if tls is None else (tls.certificate_file, tls.key_file)
        if any(not one.startswith(f"{POD_VOLUME_FOLDER}/") for one in files):
            raise ValueError(f"settings: listener.tls names a file that is not in {POD_VOLUME_FOLDER}")


class InjectionsFile(BaseModel):
    """All injections of an installation, in the order in which they prevail in a pod of another namespace."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    schema_: Literal["kwitness.injections/1"] = Field("kwitness.injections/1", alias="schema")
    injections: tuple[Injection, ...] = Field(max_length=1_000)


def injection_hash(injection: Injection) -> str:
    """Return the hash of what a pod is given: 16 hex digits of SHA-256.

    Whom it is given to does not count, nor whether it is suspended, of which running observers are told, nor which
    brokers there are.
    """
    left_out: dict[str, Any] = {**dict.fromkeys(_SELECTION, True), "settings": {"suspend": True, "upstream": {"nodes"}}}
    if injection.pod_volume is None:
        # As it was before there were such volumes, so that no pod is outdated by an upgrade.
        left_out["pod_volume"] = True
    if injection.settings.report.headers is None:
        # As it was before anybody looked at headers.
        left_out["settings"]["report"] = {"headers"}
    text = injection.model_dump_json(exclude=left_out)
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_DIGITS]


def left_out_text(reasons: Mapping[str, LeftOutReason]) -> str:
    """Return the value of LEFT_OUT, such as ``team-a/orders=Conflict``: by owner, divided by blanks, at most 20."""
    return " ".join(f"{owner}={reason}" for owner, reason in list(reasons.items())[:_MOST_LEFT_OUT])


def parse_left_out(text: str) -> dict[str, LeftOutReason]:
    """Return owners and reasons; what is not of that form is left out, since whoever makes pods can write anything."""
    known = {reason: reason for reason in get_args(LeftOutReason)}
    pairs = (part.partition("=") for part in text.split()[:_MOST_LEFT_OUT])
    return {owner: known[reason] for owner, _, reason in pairs if reason in known}
