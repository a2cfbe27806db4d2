"""All checks, in the order in which their findings are shown: what others stand on comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from .collectors import check_collectors, check_ledgers
from .definitions import check_definitions
from .deployments import check_certificate, check_injector, check_operator
from .facts import InstallationFacts
from .finding import Finding
from .permissions import check_permissions, check_refusals
from .resources import check_brokers, check_resources, check_topics
from .versions import check_versions

__all__ = ["CHECKS", "look_at"]

CHECKS: Final[tuple[Callable[[InstallationFacts], Iterable[Finding]], ...]] = (
    check_definitions,
    check_operator,
    check_injector,
    check_certificate,
    check_resources,
    check_brokers,
    check_topics,
    check_collectors,
    check_ledgers,
    check_versions,
    check_permissions,
    check_refusals,
)


def look_at(facts: InstallationFacts) -> list[Finding]:
    """Every finding."""
    return [finding for check in CHECKS for finding in check(facts)]
