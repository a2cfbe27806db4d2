"""What a kind is to the engine: which facts it needs, and what it decides from them. Values and pure functions only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from pydantic import BaseModel

from kwitness.contracts.resources.meta import Status
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.store import Key
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.actions import (
    AlterConfigs,
    ApplyAlone,
    AskInventory,
    CreateTopics,
    Delete,
    Forsake,
    GrowClaim,
    Remember,
    ShowSubscriptions,
    Telling,
)
from kwitness.operator.shapes.facts import Answer, Body, Fact, NamedObject

__all__ = ["Decision", "KindSpec", "Need", "Note", "OptionalChild", "Outcome", "Unit", "View"]

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)


class Unit(NamedTuple):
    """What one worker works on at a time: mostly one resource."""

    kind: str
    key: Key


class Need(NamedTuple):
    """A fact, and the seconds after which its answer is too old; infinity: whatever is known, until it changes.

    With ``before_write_s`` nothing is written to brokers on an answer that is older than that: it is asked for once
    more, and decided again. Without ``awaited`` it is decided with what is known of it, be that old or nothing, while
    it is being asked for.
    """

    fact: Fact[Any]
    max_age_s: float = float("inf")
    before_write_s: float | None = None
    awaited: bool = True


class View(Protocol):
    """A reading of facts; nothing in it waits."""

    @property
    def now_ms(self) -> int:
        """Milliseconds since 1970."""

    @property
    def settings(self) -> OperatorSettings:
        """What the installation decides."""

    def get(self, fact: Fact[T]) -> Answer[T] | None:
        """What is known of a fact; None while it was not asked for or has not been answered."""

    def __getitem__(self, fact: Fact[T]) -> Answer[T]:
        """The answer to a fact that was needed; a KeyError for any other."""

    def resources(self, model: type[M], fact: Fact[tuple[Body, ...]]) -> tuple[M, ...]:
        """Return the resources of a fact that can be read, parsed once; none while it is not known."""


class Note(NamedTuple):
    """An event of Kubernetes; at most one in five minutes with the same ``reason`` and ``about``."""

    reason: str
    about: str
    action: str
    message: str
    type: Literal["Normal", "Warning"] = "Warning"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of one resource, which is that with ``uid`` and no later one of its name.

    ``children`` None leaves what is there; an empty tuple wants none. They are applied in their order. Optional ones of
    ``kept`` are left as they are, since what they should be cannot be told now. ``actions``
    follow once nothing of the children had to be written; one that fails is tried again and leaves the status as it is.
    ``attempts`` come between: how each ended is the fact `Attempt`, and it is decided again before a status is written.
    ``removals`` come before the children, where these are not None. ``notes`` become events of the resource once the
    status is written, unless it is paused. ``unexpected`` is what nobody foresaw of this resource, for the log.
    """

    uid: str
    generation: int
    status: Status
    verdicts: tuple[Verdict, ...]
    children: tuple[Body, ...] | None = None
    actions: tuple[Telling | AskInventory, ...] = ()
    attempts: tuple[GrowClaim | ApplyAlone, ...] = ()
    kept: tuple[NamedObject, ...] = ()
    removals: tuple[Delete, ...] = ()
    notes: tuple[Note, ...] = ()
    unexpected: Exception | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a unit. ``again``: at the resync, or never, since nothing is left of it.

    ``shared`` are objects of the installation that no resource owns; they are applied before anything else. With
    ``remember`` nothing but that is carried out: outcomes are about what is remembered, so it is decided again then.
    With ``creates`` nothing but that is begun, beside the workers; it is decided again when the fact `TopicsCreated`
    tells how it ended. As with ``remember`` it is with ``alter``, once all that it was decided from is young enough
    (`Need`). ``tells`` come before statuses. ``after_s`` is when time alone changes what is decided.
    """

    outcomes: Mapping[Key, Outcome] = field(default_factory=dict)
    shared: tuple[Body, ...] = ()
    remember: Remember | None = None
    creates: CreateTopics | None = None
    alter: AlterConfigs | None = None
    tells: tuple[ShowSubscriptions | Forsake, ...] = ()
    after_s: float | None = None
    again: Literal["resync", "forget"] = "resync"


class OptionalChild(NamedTuple):
    """A kind of child that a resource may cease to want: it is removed where `Outcome.children` has none."""

    kind: str
    name: Callable[[str], str]
    """From the resource's name."""


@dataclass(frozen=True, slots=True)
class KindSpec:
    """One kind.

    ``unit`` tells which unit a resource belongs to. ``needs`` is asked until it adds nothing, at most `MOST_ROUNDS`
    times; in each round it sees what is known of the facts of the round before. ``decide`` sees all of them. Both are
    pure; a resource's failure is its outcome and no exception. ``members`` is the fact that has the resources of a
    unit, where that is not one resource.
    """

    kind: str
    unit: Callable[[Key], Unit]
    needs: Callable[[Unit, View], frozenset[Need]]
    decide: Callable[[Unit, View], Decision]
    optional: tuple[OptionalChild, ...] = ()
    members: Callable[[Unit], Fact[tuple[Body, ...]]] | None = None
