"""Versions: every component of one release."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from .deployments import versions_of
from .facts import InstallationFacts
from .finding import Finding, ok, warning

__all__ = ["check_versions"]

VERSIONS: Final = "Versions"
_SHOWN: Final = 5


def check_versions(facts: InstallationFacts) -> Iterator[Finding]:
    """A finding for each version that is not the operator's, or one for all; this command is a component, too."""
    found = [*versions_of(facts.operators), *versions_of(facts.injectors)]
    if facts.version is not None:
        found.append(("this command", facts.version))
    for collector in facts.collectors:
        subject = f"TelemetryCollector {collector.namespace}/{collector.name}"
        if collector.version:
            found.append((subject, collector.version))
        if collector.cluster is None:
            continue
        found.extend(
            (f"plugin of broker {one.broker_id}", one.plugin_version)
            for one in collector.cluster.brokers
            if one.plugin_version
        )
        found.extend(
            (f"observer {one.pod_namespace}/{one.pod}", one.version)
            for one in collector.cluster.observers
            if one.version
        )
        found.extend(
            (f"interceptors of {one.pod_namespace}/{one.pod}", one.version)
            for one in collector.cluster.interceptors
            if one.version
        )
    by_version: dict[str, list[str]] = defaultdict(list)
    for subject, version in found:
        by_version[version].append(subject)
    operators = {version for _, version in versions_of(facts.operators)}
    reference = min(operators, default=facts.version) or min(by_version, default="")
    others = {version: subjects for version, subjects in by_version.items() if version != reference}
    for version, subjects in sorted(others.items()):
        more = f" and {len(subjects) - _SHOWN} more" if len(subjects) > _SHOWN else ""
        yield warning(
            VERSIONS,
            f"{', '.join(subjects[:_SHOWN])}{more}",
            f"version {version}, where the installation is of {reference}",
            "upgrade what is older; neighbouring releases work together, the new functions of one alone do not",
        )
    if found and not others:
        yield ok(VERSIONS, f"{len(found)} components", f"all are of version {reference}")
