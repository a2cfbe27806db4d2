"""Names what the sources of a console ask."""

from __future__ import annotations

from typing import NamedTuple

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.answers.access.collector_access import CollectorRoute

__all__ = ["Backends"]


class Backends(NamedTuple):
    """The collector, and what else an installation has; None is what it lacks.

    Attributes
    ----------
    tables
        Folder with tables of analyses.
    prometheus
        Address of a Prometheus, whose series pages load after they are shown.
    """

    collector: CollectorRoute
    cluster: ClusterAccess | None = None
    tables: str | None = None
    prometheus: str | None = None
