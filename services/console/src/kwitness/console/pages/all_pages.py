"""Lists the pages by the groups of the navigation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from kwitness.console.pages.add_subscription import ADD_SUBSCRIPTION
from kwitness.console.pages.client import CLIENT
from kwitness.console.pages.completeness import COMPLETENESS
from kwitness.console.pages.cost import COST
from kwitness.console.pages.doctor import DOCTOR
from kwitness.console.pages.findings import FINDINGS
from kwitness.console.pages.fleet import FLEET
from kwitness.console.pages.map import MAP
from kwitness.console.pages.page import Page
from kwitness.console.pages.subscription import SUBSCRIPTION
from kwitness.console.pages.subscriptions import SUBSCRIPTIONS
from kwitness.console.pages.topic import TOPIC
from kwitness.console.pages.topics import TOPICS
from kwitness.console.pages.upgrades import UPGRADES

__all__ = ["GROUPS", "PAGES", "Group"]


class Group(NamedTuple):
    """Pages that stand beside each other in the navigation."""

    title: str
    pages: Sequence[Page]


GROUPS: Final = (
    Group("Clients", (FLEET, CLIENT, TOPICS, TOPIC, MAP)),
    Group("Analyses", (UPGRADES, COMPLETENESS, COST)),
    Group("Installation", (SUBSCRIPTIONS, SUBSCRIPTION, ADD_SUBSCRIPTION, FINDINGS, DOCTOR)),
)
"""Pages of one group are in the order of the navigation; pages without a title have no link there."""
PAGES: Final[Sequence[Page]] = tuple(page for group in GROUPS for page in group.pages)
