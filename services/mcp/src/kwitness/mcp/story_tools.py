"""Tools that explain: one client, the subscriptions, and the installation itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any, Final

from mcp_types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field

from kwitness.answers.access.client_stories import client_stories
from kwitness.answers.access.installation_access import look
from kwitness.answers.access.subscription_questions import all_subscriptions
from kwitness.answers.checks.all_checks import look_at
from kwitness.mcp.installation import Installation
from kwitness.mcp.results import DEFAULT_LIMIT, MOST, answered
from kwitness.mcp.tool import Argument, Tool

__all__ = ["story_tools"]

_LIMIT: Final = Argument(Annotated[int, Field(description="Most items.", ge=1, le=MOST)], DEFAULT_LIMIT)


class _Answer(BaseModel):
    left_out: int = Field(0, description="How many items are not in this answer.")
    notes: list[str] = Field([], description="What the answer lacks, and why.")


class Story(BaseModel):
    """A client instance, or a client that does not push: the answers about it, and sentences by heading."""

    model_config = ConfigDict(extra="allow")

    sections: dict[str, list[str]]


class Stories(_Answer):
    """The story of each instance."""

    items: list[Story]


class SubscriptionItem(BaseModel):
    """A subscription of client metrics, of this installation or of others."""

    model_config = ConfigDict(extra="allow")

    name: str
    owner: str


class Subscriptions(_Answer):
    """Subscriptions."""

    items: list[SubscriptionItem]


class Check(BaseModel):
    """A check of the installation: what is the case, and what to do."""

    check: str
    severity: str
    subject: str
    message: str
    remedy: str


class Checks(_Answer):
    """Checks, and how many of them are errors and warnings."""

    items: list[Check]
    errors: int
    warnings: int


def story_tools(installation: Installation) -> Iterator[Tool]:
    """Yield the tools."""
    yield Tool(
        "why",
        "The state of one client in sentences: its subscriptions, pushes, values and connections, and what to do.",
        {"client": Argument(Annotated[str, Field(description="Client id, instance id, or a prefix of one.")])},
        Stories,
        call=lambda client: _why(installation, client),
    )
    yield Tool(
        "subscriptions",
        "Subscriptions of client metrics: what clients are asked to push, by this installation and by others.",
        {
            "all_namespaces": Argument(Annotated[bool, Field(description="Those of all namespaces.")], False),
            "limit": _LIMIT,
        },
        Subscriptions,
        call=lambda all_namespaces, limit: _subscriptions(installation, limit, everywhere=all_namespaces),
    )
    yield Tool(
        "doctor",
        "Checks of kwitness itself: definitions, operator, injector, resources, brokers, collectors, permissions.",
        {"quiet": Argument(Annotated[bool, Field(description="Leave out what is well.")], True)},
        Checks,
        call=lambda quiet: _doctor(installation, quiet=quiet),
    )


def _why(installation: Installation, client: str) -> CallToolResult:
    notes: list[str] = []
    with installation.questions() as questions:
        stories = client_stories(questions, client, notes.append)
    return answered({"items": [_bounded(story.document(), notes) for story in stories], "notes": notes})


def _bounded(story: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    """Return a story with the first of each list of answers, of which a client may have thousands."""
    bounded = {}
    for name, value in story.items():
        bounded[name] = value
        if isinstance(value, list) and len(value) > DEFAULT_LIMIT:
            bounded[name] = value[:DEFAULT_LIMIT]
            notes.append(f"the first {DEFAULT_LIMIT} of {len(value)} {name} are in the answer")
    return bounded


def _subscriptions(installation: Installation, limit: int, *, everywhere: bool) -> CallToolResult:
    notes: list[str] = []
    access = installation.kubernetes()
    found = all_subscriptions(
        access,
        installation.options,
        namespace=None if everywhere else access.namespace,
        cluster=installation.cluster,
        notify=notes.append,
    )
    return answered({"items": [subscription.document() for subscription in found], "notes": notes}, limit=limit)


def _doctor(installation: Installation, *, quiet: bool) -> CallToolResult:
    facts = look(installation.kubernetes(), installation.options.collector, everywhere=True)
    findings = look_at(facts)
    counts = Counter(finding.severity for finding in findings)
    items = [asdict(finding) for finding in findings if not quiet or finding.severity != "ok"]
    return answered({"items": items, "errors": counts["error"], "warnings": counts["warning"]})
