"""Lists the pages, in the order of the navigation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kwitness.console.pages.client import CLIENT
from kwitness.console.pages.fleet import FLEET
from kwitness.console.pages.page import Page
from kwitness.console.pages.topic import TOPIC
from kwitness.console.pages.topics import TOPICS

__all__ = ["PAGES"]

PAGES: Final[Sequence[Page]] = (FLEET, CLIENT, TOPICS, TOPIC)
