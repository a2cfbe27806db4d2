"""How large a fleet is, for how long it is watched, and how much goes wrong."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

__all__ = ["FIRST_START_MS", "Faults", "Fleet"]

FIRST_START_MS = 1_790_000_000_000
"""When a fleet is watched first unless it says otherwise, in milliseconds since 1970."""
_LONGEST_CLUSTER_ID = 64


@dataclass(frozen=True, kw_only=True)
class Faults:
    """Shares of all records, from 0 to 1, to which something happens; one thing at most happens to a record.

    Attributes
    ----------
    late
        Arrive up to `late_windows` windows after the others of their window, seals as well.
    duplicates
        Arrive twice, the second time up to two windows later.
    reordered
        Change places with others of their source and window, seals as well.
    corrupt
        Cannot be read or break the record's contract, each in one of many ways.
    lost
        Never arrive, although their seal counts them.
    dropped
        Never arrive, and their seal says so.
    too_old, from_the_future
        Traffic rows whose source has a wrong clock: they are of a window eight days before, or two hours ahead.
    late_windows
        The latest that something late arrives.
    """

    late: float = 0.0
    duplicates: float = 0.0
    reordered: float = 0.0
    corrupt: float = 0.0
    lost: float = 0.0
    dropped: float = 0.0
    too_old: float = 0.0
    from_the_future: float = 0.0
    late_windows: int = 30

    def __post_init__(self) -> None:
        shares = {one.name: getattr(self, one.name) for one in fields(self) if one.type == "float"}
        for name, share in shares.items():
            if not 0 <= share <= 1:
                raise ValueError(f"the share {name} is {share}: it must be from 0 to 1")
        if (total := sum(shares.values())) > 1:
            raise ValueError(f"the shares of faults are {total:g} together: they must be 1 at most")
        if self.late_windows < 1:
            raise ValueError(f"late_windows is {self.late_windows}: it must be 1 or more")


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """Clients, what they use, and who watches them.

    Attributes
    ----------
    clients
        Half of them produce and half consume, in applications of four instances with one client id each.
    topics, partitions
        How many topics there are, and partitions of each.
    sources
        Observers; each sees its own part of the clients. Gateways and sidecars take turns.
    seconds, window_s
        How long the fleet is watched, in whole windows.
    epochs
        How often each source was started. Every other end is a kill, in the middle of a window that is then not sealed.
    seed
        The same fleet with the same seed has the same events, to the byte.
    requests
        Whether observers also tell some requests and answers one by one.
    interceptors
        Whether consumers have interceptors, each with a reporter of its own.
    push_s
        How often each client pushes its metrics, in whole windows; 0: never.
    start_ms
        First millisecond of the first window, since 1970.
    old_clients
        Share of applications, from 0 to 1, whose library uses versions of requests that Kafka 4.0 removed.
    headers
        Whether records have headers, which observers look at.
    skips
        Share of a group's fetches, from 0 to 1, that pass over half of what there was to read.
    """

    clients: int = 100
    topics: int = 10
    partitions: int = 6
    sources: int = 3
    seconds: int = 60
    window_s: int = 10
    epochs: int = 1
    push_s: int = 0
    seed: int = 1
    requests: bool = False
    interceptors: bool = False
    start_ms: int = FIRST_START_MS
    cluster_id: str = "fleet"
    old_clients: float = 0.0
    headers: bool = False
    skips: float = 0.0
    faults: Faults = field(default_factory=Faults)

    def __post_init__(self) -> None:
        for name in ("clients", "topics", "partitions", "sources", "seconds", "window_s", "epochs"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: it must be 1 or more")
        if self.seconds % self.window_s:
            raise ValueError(f"{self.seconds} seconds are no whole number of windows of {self.window_s} seconds")
        if self.push_s < 0 or self.push_s % self.window_s:
            raise ValueError(f"push_s is {self.push_s}: it must be 0, or whole windows of {self.window_s} seconds")
        if self.start_ms < 0 or self.start_ms % self.window_ms:
            raise ValueError(f"start_ms is {self.start_ms}: it must be a multiple of a window's {self.window_ms} ms")
        if self.epochs > self.windows:
            raise ValueError(f"{self.epochs} epochs do not fit into {self.windows} windows")
        if not 0 <= self.old_clients <= 1:
            raise ValueError(f"the share old_clients is {self.old_clients}: it must be from 0 to 1")
        if not 0 <= self.skips <= 1:
            raise ValueError(f"the share skips is {self.skips}: it must be from 0 to 1")
        if not 1 <= len(self.cluster_id) <= _LONGEST_CLUSTER_ID or not self.cluster_id.isprintable():
            raise ValueError(f"the cluster id must have 1 to {_LONGEST_CLUSTER_ID} printable characters")

    @property
    def window_ms(self) -> int:
        """Length of a window, in milliseconds."""
        return self.window_s * 1000

    @property
    def windows(self) -> int:
        """How many windows there are."""
        return self.seconds // self.window_s
