"""The file of interceptors that the operator writes for the injector, and the marks that the injector leaves on pods.

It is a ConfigMap of its own with the keys of `kwitness.contracts.injections`, so that neither file can keep the other
from being read. An injection is one InterceptorProfile with everything that a pod needs.
"""

from __future__ import annotations

import hashlib
import re
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kwitness.contracts.dns_label import DnsLabel
from kwitness.contracts.injections import InjectedContainer
from kwitness.contracts.interceptors import AttributeName, InterceptorRuntime, JavaVariable
from kwitness.contracts.observers import ResourceName

from .interceptor_settings import InterceptorSettings
from .resources.label_selector import LabelSelector

__all__ = [
    "INTERCEPTORS",
    "INTERCEPTORS_CONFIG_MAP",
    "INTERCEPTORS_CONTAINER",
    "INTERCEPTORS_FILES",
    "INTERCEPTORS_FOLDER",
    "INTERCEPTORS_HASH",
    "INTERCEPTORS_INSTALLATION",
    "INTERCEPTORS_LEFT_OUT",
    "INTERCEPTORS_SETTINGS",
    "JAVA_AGENT",
    "JAVA_OPTIONS",
    "LIBRDKAFKA_PLUGIN",
    "PYTHON_FOLDER",
    "PYTHON_PATH",
    "RUNTIMES",
    "TESTING",
    "InterceptorInjection",
    "InterceptorInjectionsFile",
    "interceptor_injection_hash",
]

INTERCEPTORS_CONFIG_MAP: Final = "kwitness-interceptors"
"""Name of the ConfigMap, in the release's namespace."""

INTERCEPTORS: Final = "kwitness.dev/interceptors"
"""Annotation of a pod with interceptors: <namespace>/<name> of the InterceptorProfile."""
INTERCEPTORS_HASH: Final = "kwitness.dev/interceptors-hash"
"""Annotation of such a pod: `interceptor_injection_hash` of what it was given."""
INTERCEPTORS_INSTALLATION: Final = "kwitness.dev/interceptors-installation"
"""Annotation of such a pod: the installation of kwitness whose injector put the interceptors there."""
INTERCEPTORS_LEFT_OUT: Final = "kwitness.dev/interceptors-left-out"
"""Annotation of a pod: which InterceptorProfiles select it without effect, and why, as `left_out_text` writes it."""
RUNTIMES: Final = "kwitness.dev/runtimes"
"""Annotation by which a pod names its runtimes itself, such as ``python,java``."""
PYTHON_PATH: Final = "kwitness.dev/python-path"
"""Annotation with the PYTHONPATH that the pod's images set, which a variable of the pod replaces."""
TESTING: Final = "kwitness.dev/testing"
"""Label of a namespace, with the value true, whose pods may use header keys with ids for tests."""
JAVA_OPTIONS: Final = "kwitness.dev/java-tool-options"
"""Likewise with JAVA_TOOL_OPTIONS, or JDK_JAVA_OPTIONS where the profile names that."""

INTERCEPTORS_CONTAINER: Final = "kwitness-interceptors"
"""Name of the init container that brings the files, and of the volume with settings and token."""
INTERCEPTORS_FILES: Final = "/kwitness"
"""Where the files are, in their image and in the containers that get them."""
PYTHON_FOLDER: Final = f"{INTERCEPTORS_FILES}/python"
JAVA_AGENT: Final = f"{INTERCEPTORS_FILES}/java/kwitness-interceptors.jar"
LIBRDKAFKA_PLUGIN: Final = f"{INTERCEPTORS_FILES}/lib/libkwitness.so"
"""What a client names by `plugin.library.paths`."""
INTERCEPTORS_FOLDER: Final = "/etc/kwitness/interceptors"
"""Where containers find settings and token."""
INTERCEPTORS_SETTINGS: Final = f"{INTERCEPTORS_FOLDER}/interceptors.json"

_FILE: Final = re.compile(re.escape(INTERCEPTORS_FOLDER) + r"/[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?", re.ASCII)
_HASH_DIGITS: Final = 16
_SELECTION: Final = {"namespace_selector", "namespaces", "pod_selector", "priority", "refused_in", "ended_at_start"}
"""What decides on a pod and is not in it."""

LabelName = Annotated[str, Field(min_length=1, max_length=317)]


class _Config(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


class InterceptorInjection(_Config):
    """One InterceptorProfile.

    Attributes
    ----------
    namespace_selector
        Namespaces whose pods are meant; None: only pods of the resource's own namespace.
    namespaces
        Of those that are selected, the ones that the installation allows; None: all.
    containers
        Whose clients are meant, init containers too; empty: every container's.
    runtimes
        Where a pod names none itself; empty: none there.
    java_variable
        Which variable gets the agent.
    files
        The init container with the interceptors' files.
    through_observer
        Whether clients connect to the observer of their pod, where it has one.
    settings
        What interceptors start with, without what is known of the pod alone; files are in INTERCEPTORS_FOLDER.
    attributes
        Names of the pod's labels by the attribute that each becomes.
    collector_ca
        PEM, for the file that `settings` names.
    token_audience
        Of the token for the collector, for the file that `settings` names; None where nothing is reported.
    refused_in
        Namespaces in which admission refused pods because of the interceptors: they are left out there.
    ended_at_start
        Workloads, as `workload_path` names them, whose pods ended at their start with the interceptors: likewise.
    """

    namespace: DnsLabel
    name: ResourceName
    priority: int = 0
    namespace_selector: LabelSelector | None = None
    namespaces: tuple[DnsLabel, ...] | None = None
    pod_selector: LabelSelector
    containers: tuple[str, ...] = ()
    runtimes: tuple[InterceptorRuntime, ...] = ()
    java_variable: JavaVariable = "JAVA_TOOL_OPTIONS"
    through_observer: bool = False
    files: InjectedContainer
    settings: InterceptorSettings
    attributes: dict[AttributeName, LabelName] = Field(default_factory=dict, max_length=16)
    collector_ca: str | None = None
    token_audience: str | None = None
    refused_in: tuple[DnsLabel, ...] = ()
    ended_at_start: tuple[str, ...] = ()

    @property
    def owner(self) -> str:
        """<namespace>/<name> of the InterceptorProfile."""
        return f"{self.namespace}/{self.name}"

    @model_validator(mode="after")
    def _fits_together(self) -> InterceptorInjection:
        collector = self.settings.collector
        files = {
            "collector_ca": (self.collector_ca, collector.ca_file if collector else None),
            "token_audience": (self.token_audience, collector.token_file if collector else None),
        }
        for field, (content, path) in files.items():
            if (content is None) != (path is None):
                raise ValueError(f"{field}: goes with a file that settings name, and only with it")
            if path is not None and not _FILE.fullmatch(path):
                raise ValueError(f"{field}: settings name {path}, which is no file in {INTERCEPTORS_FOLDER}")
        key_file = self.settings.identity.key_file if self.settings.identity else None
        if key_file is not None and not _FILE.fullmatch(key_file):
            raise ValueError(f"settings: identity.key_file is {key_file}, which is no file in {INTERCEPTORS_FOLDER}")
        named = [INTERCEPTORS_SETTINGS, *(path for path in (key_file, *(path for _, path in files.values())) if path)]
        if len(named) != len(set(named)):
            raise ValueError(f"settings: two files have one name among {', '.join(named)}")
        return self


class InterceptorInjectionsFile(_Config):
    """All InterceptorProfiles of an installation, in the order of `kwitness.contracts.injections.InjectionsFile`."""

    schema_: Literal["kwitness.interceptor_injections/1"] = Field("kwitness.interceptor_injections/1", alias="schema")
    injections: tuple[InterceptorInjection, ...] = Field(max_length=1_000)


def interceptor_injection_hash(injection: InterceptorInjection) -> str:
    """Return the hash of what a pod is given: 16 hex digits of SHA-256.

    Whom it is given to does not count, nor whether it is suspended, of which running interceptors are told.
    """
    # What the injector adds for one pod does not count either, and what was not there before an upgrade.
    unused = {name for name in ("headers", "identity") if getattr(injection.settings, name) is None}
    left_out: dict[str, bool | set[str]] = {
        **dict.fromkeys(_SELECTION, True),
        "settings": {"suspend", "through_observer", *unused},
    }
    if not injection.through_observer:
        # As it was before clients could connect so, so that no pod is outdated by an upgrade.
        left_out["through_observer"] = True
    text = injection.model_dump_json(exclude=left_out)
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_DIGITS]
