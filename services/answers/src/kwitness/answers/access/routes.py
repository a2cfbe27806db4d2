"""Finds the collector of a KafkaCluster, or of a running `kwitness try`, and the way to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kwitness.answers.access.collector_access import CollectorAccess, CollectorRoute
from kwitness.answers.access.options import AccessOptions
from kwitness.answers.access.questions import Questions
from kwitness.sandbox.session import find_session

__all__ = ["questions_to", "route_of"]


@contextmanager
def questions_to(options: AccessOptions, cluster: str | None) -> Iterator[Questions]:
    """Find the collector of a KafkaCluster, or of a running `kwitness try`, and ask it until the block ends.

    Raises
    ------
    CommandFailedError
        There is no such cluster, or it has no collector.
    """
    with CollectorAccess(route_of(options, cluster)) as collector:
        yield Questions(collector)


def route_of(options: AccessOptions, cluster: str | None) -> CollectorRoute:
    """Return the way to the collector of a running `kwitness try`, unless an option names something of Kubernetes.

    Raises
    ------
    CommandFailedError
        As `questions_to`.
    """
    named = (options.kubeconfig, options.context, options.namespace, options.collector, cluster)
    if all(option is None for option in named) and (session := find_session()) is not None:
        from kwitness.answers.access.local_route import LocalRoute  # noqa: PLC0415 - no library of Kubernetes is needed

        return LocalRoute(session)
    from kwitness.answers.access.cluster_access import connect  # noqa: PLC0415 - likewise
    from kwitness.answers.access.kubernetes_route import route_to  # noqa: PLC0415
    from kwitness.answers.access.serving_collector import find_cluster  # noqa: PLC0415

    access = connect(options)
    return route_to(access, find_cluster(access, cluster), options.collector)
