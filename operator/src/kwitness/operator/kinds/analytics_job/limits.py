"""What an installation lets a job have, and what its tables need."""

from __future__ import annotations

from dataclasses import dataclass

from kwitness.contracts.kafka_releases import KAFKA_RELEASES
from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.quantities import mebibytes
from kwitness.operator.environment.clusters import present
from kwitness.operator.model.errors import OperatorError, TerminalError, TransientError
from kwitness.operator.model.store import Key
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.facts import NamedObject
from kwitness.operator.shapes.work import View

__all__ = ["check_claim", "check_limits", "claim_of"]


@dataclass(frozen=True, slots=True)
class _Bound:
    field: str
    value: str
    asked: int
    most: int
    unit: str = ""


def check_limits(job: AnalyticsJob, settings: OperatorSettings) -> None:
    """Check what CEL cannot, since the bounds are Helm values, and the releases of Kafka those of this version.

    Raises
    ------
    TerminalError
        NamespaceNotEnabled, Unsupported, LimitExceeded, StorageUnsuitable.
    """
    _check_release(job)
    analytics, limits, executors = settings.analytics, settings.limits, job.spec.executors
    namespace = job.metadata.namespace
    if namespace not in analytics.namespaces:
        raise TerminalError(
            "NamespaceNotEnabled",
            f"Spark drivers do not run in namespace {namespace}: add it to the Helm value analytics.namespaces, or"
            f" apply the resource in one of {', '.join(analytics.namespaces) or 'none'}",
        )
    if settings.images.spark is None:
        raise TerminalError("Unsupported", "this installation has no Spark: set the Helm value analytics.enabled")
    bounds = (
        _Bound("instances", "limits.maxExecutorInstances", executors.instances, limits.max_executor_instances),
        _Bound("cores", "limits.maxExecutorCores", executors.cores, limits.max_executor_cores),
        _Bound(
            "memory",
            "limits.maxExecutorMemory",
            mebibytes(executors.memory),
            mebibytes(limits.max_executor_memory),
            "Mi",
        ),
    )
    for bound in bounds:
        if bound.asked > bound.most:
            raise TerminalError(
                "LimitExceeded",
                f"spec.executors.{bound.field} is {bound.asked}{bound.unit}, above this installation's"
                f" {bound.most}{bound.unit}: ask for less, or have the Helm value {bound.value} raised",
            )
    if analytics.table_root.startswith("file:") and analytics.table_claim is None:
        raise TerminalError(
            "StorageUnsuitable",
            "the Helm value analytics.tableRoot is a path and analytics.tableClaim names no claim, so a table would be"
            " lost with its pod: set the claim, or use an object store",
        )
    if analytics.table_root.startswith(("s3:", "s3n:")):
        raise TerminalError(
            "StorageUnsuitable",
            f"the Helm value analytics.tableRoot is {analytics.table_root}, a scheme that Hadoop does not read: write"
            " s3a://",
        )


def _check_release(job: AnalyticsJob) -> None:
    impact = job.spec.analysis.parameters.upgrade_impact
    if impact is not None and impact.target not in KAFKA_RELEASES:
        raise TerminalError(
            "Unsupported",
            f"spec.analyses[0].parameters.upgradeImpact.target is {impact.target}, a release of Kafka that this version"
            f" does not know: name one of {', '.join(KAFKA_RELEASES)}, or upgrade kwitness",
        )


def claim_of(namespace: str, settings: OperatorSettings) -> NamedObject | None:
    """The claim that has to be mounted on several nodes; None where there is none."""
    analytics = settings.analytics
    if analytics.table_claim is None or analytics.single_node:
        return None
    return NamedObject("PersistentVolumeClaim", Key(namespace, analytics.table_claim))


def check_claim(namespace: str, view: View) -> None:
    """Check that executors on other nodes could mount the tables.

    Raises
    ------
    OperatorError
        StorageUnsuitable, or it could not be found out.
    """
    fact = claim_of(namespace, view.settings)
    if fact is None:
        return
    try:
        claim = present(view, fact)
    except OperatorError as error:
        if error.reason != "KubernetesForbidden":
            raise
        # Without the right to look, the pods' events have to tell.
        return
    if claim is None:
        raise TransientError(
            "StorageUnsuitable",
            f"there is no PersistentVolumeClaim {fact.key.name} in namespace {namespace}: create it, with"
            " access mode ReadWriteMany",
        )
    if "ReadWriteMany" not in claim["spec"].get("accessModes", ()):
        raise TerminalError(
            "StorageUnsuitable",
            f"PersistentVolumeClaim {fact.key.name} is not ReadWriteMany, so executors on other nodes would"
            " wait for ever: use one that is, an object store, or, on one node, the Helm value analytics.singleNode",
        )
