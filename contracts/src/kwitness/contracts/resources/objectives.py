"""Objectives of latency: which answers count, by whom, how long they may take, and how many may take longer."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from kwitness.contracts.identity import IDENTITY_KEYS, IdentityKey

from .contract_model import Contract, Rule, list_map, list_set, rules
from .durations import duration_field

__all__ = [
    "OBJECTIVE_GROUPS",
    "LatencyObjective",
    "ObjectiveGroup",
    "ObjectiveMatch",
    "objectives_field",
    "with_names_of_their_own",
]

ObjectiveGroup = Literal["Topic", "Api", IdentityKey]
"""What answers are grouped by."""

OBJECTIVE_GROUPS: tuple[str, ...] = ("topic", "api", *IDENTITY_KEYS)
"""The columns of tables that they are, in their order: `kwitness.contracts.spelling.word_of` each."""

_HOW = "the value, or how it begins with a * after that"
_Pattern = Annotated[str, Field(min_length=1, max_length=256)]
_TARGET_PATTERN = r"^[0-9]{1,2}(\.[0-9]{1,6})?$"


class ObjectiveMatch(Contract):
    """Which answers count: those that match all keys which are given. What is not known of a client matches nothing."""

    topic: _Pattern | None = Field(
        None, description=f"A topic that the request names: {_HOW}. Needs the topic `requests`."
    )
    principal: _Pattern | None = Field(None, description=f"Identity key principal: {_HOW}.")
    client_id: _Pattern | None = Field(None, description=f"Identity key client_id: {_HOW}.")
    api: _Pattern | None = Field(None, description=f"Kafka's name of the request, such as Produce: {_HOW}.")
    client_software_name: _Pattern | None = Field(None, description=f"Identity key client_software_name: {_HOW}.")
    namespace: _Pattern | None = Field(None, description=f"Namespace of the client's pod: {_HOW}.")
    workload: _Pattern | None = Field(None, description=f"Workload of the client's pod, as Deployment/shop: {_HOW}.")


class LatencyObjective(Contract):
    """So many percent of the answers do not take longer than the threshold."""

    name: str = Field(
        description="What rows and findings call it; another name where it means something else than before.",
        min_length=1,
        max_length=63,
        pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    )
    match: ObjectiveMatch = Field(default_factory=ObjectiveMatch, description="Which answers count. Absent: all.")
    group_by: tuple[Annotated[ObjectiveGroup, Field(description="What rows are told apart by.")], ...] = Field(
        (),
        description="What has a row, and a budget, of its own: Topic (needs the topic `requests`), Api, or identity "
        "keys. Absent: all answers together.",
        max_length=8,
        json_schema_extra=list_set(),
    )
    threshold: str = duration_field(..., "How long a good answer takes at most.", minimum="1ms", maximum="1h")
    target: str = Field(
        description='How many percent of the answers are good: more than 0, less than 100, such as "99.9".',
        max_length=9,
        pattern=_TARGET_PATTERN,
        json_schema_extra=rules(
            Rule("double(self) > 0.0", "must be more than 0 and less than 100: 0 says that no answer need be good")
        ),
    )
    errors_are_bad: bool = Field(False, description="Whether an answer with an error is bad however fast it came.")

    @field_validator("target")
    @classmethod
    def _is_between(cls, target: str) -> str:
        try:
            share = Decimal(target)
        except InvalidOperation:
            raise ValueError(f"{target!r} is no number of percent, such as 99.9") from None
        if not 0 < share < 100:  # noqa: PLR2004 - percent
            raise ValueError(f"{target} percent is no objective: it must be more than 0 and less than 100")
        return target


def with_names_of_their_own(objectives: tuple[LatencyObjective, ...]) -> tuple[LatencyObjective, ...]:
    """Return the objectives.

    Raises
    ------
    ValueError
        Two have the same name.
    """
    names = [one.name for one in objectives]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"two objectives have the name {twice}: rows could not be told apart, so rename one of them")
    return objectives


def objectives_field() -> Any:
    """Return the field of a list of objectives, told apart by their names."""
    return Field(
        description="The objectives, each with a name of its own.",
        min_length=1,
        max_length=50,
        json_schema_extra=list_map("name"),
    )
