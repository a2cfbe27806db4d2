"""One client instance: its identity, what its pushes said of it, and when it is taken for gone."""

from __future__ import annotations

import statistics
from collections.abc import Container, Mapping
from typing import Final, NamedTuple

from kwitness.collector.client_owners import ClientOwners
from kwitness.collector.fairness import NOBODY
from kwitness.contracts.owners import KnownOwner
from kwitness.subscriptions.matcher import Matcher

_NAMESPACE: Final = "k8s_namespace"
_SEEN_BY: Final = ("cluster_id", "principal", "client_id", "group_id", _NAMESPACE)
"""Identity keys that decide which readers may see a client."""
DEFAULT_INTERVAL_MS: Final = 300_000
"""Kafka's default push interval, assumed until an interval was told or seen."""
LEAST_LIFE_MS: Final = 30_000
"""A live client stays at least this long, so that a short interval does not make series flicker between scrapes."""
ENDED_LIFE_MS: Final = 300_000
"""A client that sent its terminating push stays at least this long, so that its last push is scraped."""
APART_MS: Final = 5_000
"""Of two remembered pushes: where the newer one is too new to prove something, the older one is not."""
_SLACK: Final = 0.5
"""In intervals: after a change of subscription the next push comes after 0.5 to 1.5 intervals."""


class Matched(NamedTuple):
    """Which subscriptions match a client: a bit for each, in the order of those that it was found out ``by``.

    ``unknown`` are those of which that hangs on what its identity was before it was treated.
    """

    by: Matcher
    mask: int
    unknown: int = 0


class ClientRecord:
    """One client instance: identity as text, times in milliseconds since 1970.

    ``last_push_ms`` is when its last push came here, ``last_received_ms`` when the source had it: pushes that waited in
    a queue come at once, and say nothing about the interval by that. ``last_read_ms`` is when the last push came that
    could be read; ``malformed`` counts the others, ``malformed_reason`` is what was wrong with the last of them.
    ``apart_ms`` are two times like ``last_received_ms``, the older first, `APART_MS` apart or more.
    ``matched`` remembers which subscriptions were found to match the identity, ``owned`` its owner; None: look again.
    ``revision`` changes with the identity. ``raw`` is the identity before it was treated, known from a push until the
    process ends; ``treated`` are the keys whose values in ``identity`` are not what they were. ``holder`` is whose
    share it is of. ``is_namespace_proven`` says that its pod, and no claim, names the namespace in its identity.
    """

    __slots__ = (
        "apart_ms",
        "filtered",
        "first_seen_ms",
        "gaps_ms",
        "holder",
        "identity",
        "is_namespace_proven",
        "last_push_ms",
        "last_read_ms",
        "last_received_ms",
        "malformed",
        "malformed_reason",
        "matched",
        "metrics",
        "owned",
        "raw",
        "revision",
        "terminated",
        "told_interval_ms",
        "treated",
    )

    def __init__(self, identity: Mapping[str, str], now_ms: int, holder: str = NOBODY) -> None:
        self.identity = dict(identity)
        self.holder = holder
        self.first_seen_ms = now_ms
        self.last_push_ms = now_ms
        self.last_read_ms = 0
        self.last_received_ms = 0
        self.apart_ms = (0, 0)
        self.malformed = 0
        self.malformed_reason: str | None = None
        self.matched: Matched | None = None
        self.owned: tuple[ClientOwners, KnownOwner | None] | None = None
        self.revision = 0
        self.told_interval_ms: int | None = None
        self.gaps_ms: tuple[int, ...] = ()
        self.metrics: frozenset[str] = frozenset()
        self.terminated = False
        self.filtered = False
        self.raw: dict[str, str] | None = None
        self.treated: frozenset[str] = frozenset()
        self.is_namespace_proven = False

    def receive(self, received_ms: int) -> None:
        """Note when the source had a push."""
        self.last_received_ms = received_ms
        if received_ms >= self.apart_ms[1] + APART_MS:
            self.apart_ms = (self.apart_ms[1], received_ms)

    @property
    def interval_ms(self) -> int | None:
        """The push interval as the broker said it, or the median of the last five gaps."""
        if self.told_interval_ms:
            return self.told_interval_ms
        return int(statistics.median(self.gaps_ms)) if self.gaps_ms else None

    @property
    def who(self) -> Mapping[str, str]:
        """The identity as the broker matches it: before it was treated, where that is known."""
        return self.identity if self.raw is None else self.raw

    @property
    def proven(self) -> Mapping[str, str]:
        """The identity without a namespace that it only claims."""
        who = self.who
        if self.is_namespace_proven or _NAMESPACE not in who:
            return who
        return {key: text for key, text in who.items() if key != _NAMESPACE}

    @property
    def shows_proven_namespace(self) -> bool:
        """True where the namespace in its identity is that of its pod: neither claimed nor treated."""
        return self.is_namespace_proven and bool(self.identity.get(_NAMESPACE)) and _NAMESPACE not in self.treated

    @property
    def seen_by(self) -> dict[str, str]:
        """Values that decide which readers may see it."""
        proven = self.proven
        return {key: proven[key] for key in _SEEN_BY if key in proven}

    @property
    def shown(self) -> tuple[object, ...]:
        """All whose change readers learn of: a push alone changes none of it."""
        return (self.revision, self.metrics, self.terminated, self.filtered, self.last_read_ms == self.last_push_ms)

    def owner(self, owners: ClientOwners) -> KnownOwner | None:
        """Return the first entry that fits the client."""
        if self.owned is None or self.owned[0] is not owners:
            self.owned = owners, owners.owner_of(self.who)
        return self.owned[1]

    def identity_changed(self) -> None:
        """Forget what was found by the identity."""
        self.matched = self.owned = None
        self.revision += 1

    def characters(self) -> int:
        """Return how long the identity is."""
        return characters_of(self.identity, self.raw)

    def deadline_ms(self, missed: int, asked_ms: int | None = None, least_ms: int = 0) -> int:
        """Return when the client is taken for gone if nothing more comes; ``missed`` is the number of missed pushes.

        ``asked_ms`` is the interval that brokers ask it for now, of which it may not have heard yet; ``least_ms`` is
        how long it stays at least.
        """
        interval = self.interval_ms or DEFAULT_INTERVAL_MS
        if self.terminated:
            return self.last_push_ms + max(3 * interval, ENDED_LIFE_MS, least_ms)
        pushes_ms = int((missed + _SLACK) * max(interval, asked_ms or 0))
        return self.last_push_ms + max(pushes_ms, LEAST_LIFE_MS, least_ms)


def characters_of(
    identity: Mapping[str, str], raw: Mapping[str, str] | None = None, *, keys: Container[str] | None = None
) -> int:
    """Return how long values are, of an identity and of what it was before, or of those of some keys."""
    texts = [text for key, text in identity.items() if keys is None or key in keys]
    return sum(map(len, texts)) + (sum(map(len, raw.values())) if raw else 0)
