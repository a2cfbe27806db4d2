"""Names the installation that tools ask, as options of the command do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from kwitness.answers.access.cluster_access import ClusterAccess, connect
from kwitness.answers.access.options import AccessOptions
from kwitness.answers.access.questions import Questions
from kwitness.answers.access.routes import questions_to

__all__ = ["Installation"]


@dataclass(frozen=True, slots=True)
class Installation:
    """Options, the KafkaCluster, and a folder of tables; None is the only cluster, and no folder."""

    options: AccessOptions
    cluster: str | None = None
    tables: str | None = None

    @contextmanager
    def questions(self) -> Iterator[Questions]:
        """Ask the collector until the block ends; it is found again for each call, since it may have moved."""
        with questions_to(self.options, self.cluster) as questions:
            yield questions

    def kubernetes(self) -> ClusterAccess:
        """Return the access to the API server, with the permissions of the caller."""
        return connect(self.options)
