"""Reads the state of the installation, and has the checks of `kwitness doctor` evaluate it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.answers.access.collector_access import CollectorRoute
from kwitness.answers.access.installation_access import look
from kwitness.answers.access.kubernetes_route import KubernetesRoute
from kwitness.answers.checks.all_checks import look_at
from kwitness.console.index.database import Database
from kwitness.console.index.resource_tables import CHECKED
from kwitness.console.sources.own_clusters import own_clusters

__all__ = ["CHECKED_EVERY_S", "Installation"]

CHECKED_EVERY_S: Final = 300.0
"""Seconds from one look at the installation to the next: it asks each collector and the injector."""


class Installation:
    """Fills the table of what checks found.

    Parameters
    ----------
    collector
        The console's own, which is asked about its cluster; those of other clusters are found as the command does.
    """

    def __init__(self, access: ClusterAccess, collector: CollectorRoute, database: Database) -> None:
        self._access = access
        self._collector = collector
        self._database = database

    def read(self) -> Sequence[str]:
        """Look at all namespaces, or at those that may be looked into; what may not is a finding.

        Raises
        ------
        CommandFailedError
            The API server cannot be reached.
        """
        facts = look(
            self._access,
            None,
            everywhere=True,
            routes=dict.fromkeys(own_clusters(self._collector, self._database), self._collector),
            by_person=isinstance(self._collector, KubernetesRoute),
        )
        rows = [{"place": place, **asdict(finding)} for place, finding in enumerate(look_at(facts))]
        self._database.write(CHECKED.filled(json.dumps(rows)))
        return []
