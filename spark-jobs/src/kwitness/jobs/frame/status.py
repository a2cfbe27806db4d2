"""What a driver says about itself: a frozen value, and the one place that holds the present one."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from kwitness.contracts.envelopes.driver_status import DriverPhase
from kwitness.contracts.envelopes.driver_status import DriverStatus as Answer
from kwitness.jobs.frame.costs import Costs
from kwitness.jobs.frame.findings import Finding
from kwitness.jobs.frame.ledger import Ledger
from kwitness.jobs.frame.offsets import DataLoss

#: Ranges of lost records that are reported; the quarantine's folder has all.
MAX_LOSSES = 256
#: Characters of a finding that the answer has room for.
_MAX_SUBJECT = 512
_MAX_MESSAGE = 1024


@dataclass(frozen=True, slots=True)
class LastRun:
    """The present run, or the last one. Times are milliseconds since the epoch; rows are records read."""

    start_ms: int | None = None
    end_ms: int | None = None
    rows: int = 0
    batches: int = 0
    quarantined: int = 0


@dataclass(frozen=True, slots=True)
class Lag:
    """Records not read yet, and the time of the oldest of them; None where it is not known."""

    records: int | None = None
    oldest_timestamp_ms: int | None = None


@dataclass(frozen=True, slots=True)
class DriverStatus:
    """What the driver knows of itself, of which `answer` is the answer of `/status`.

    Attributes
    ----------
    reason
        One of the reasons of AnalyticsJob; None while all is well.
    message
        What failed, with which input, and what to do.
    table_version
        Of the Delta table, written last.
    empty_topics
        Kinds of topics that the job needs and that never had a record; None while that is not known.
    findings
        Examples of what the job found that somebody should look at.
    finding_counts
        How many there are, by kind; None while that was not computed.
    costs
        What was used costs; None of jobs that do not compute that, or did not yet.
    """

    phase: DriverPhase = "Starting"
    reason: str | None = None
    message: str | None = None
    application_id: str | None = None
    driver_pod: str | None = None
    last_run: LastRun = field(default_factory=LastRun)
    lag: Lag = field(default_factory=Lag)
    ledger: Ledger = field(default_factory=Ledger)
    table_path: str | None = None
    table_version: int | None = None
    empty_topics: tuple[str, ...] | None = None
    data_loss: tuple[DataLoss, ...] = ()
    data_loss_total: int = 0
    findings: tuple[Finding, ...] = ()
    finding_counts: Mapping[str, int] | None = None
    costs: Costs | None = None

    def answer(self) -> Answer:
        """The document that the operator reads; its fields have the names that they have here."""
        findings = [
            {"kind": one.kind, "subject": one.subject[:_MAX_SUBJECT], "message": one.message[:_MAX_MESSAGE]}
            for one in self.findings
        ]
        return Answer.model_validate({**asdict(self), "findings": findings})


class StatusBoard:
    """Holds the present status; any thread may read and change it."""

    def __init__(self, status: DriverStatus) -> None:
        self._status = status
        self._losses: set[DataLoss] = set()
        self._lock = threading.Lock()

    def read(self) -> DriverStatus:
        """The present status."""
        with self._lock:
            return self._status

    def change(self, **changes: Any) -> None:
        """Replace some fields."""
        with self._lock:
            self._status = replace(self._status, **changes)

    def change_run(self, **changes: Any) -> None:
        """Replace some fields of the run."""
        with self._lock:
            self._status = replace(self._status, last_run=replace(self._status.last_run, **changes))

    def add_losses(self, losses: Iterable[DataLoss]) -> None:
        """Add ranges of lost records, each once; the status lists the latest."""
        with self._lock:
            new = [loss for loss in dict.fromkeys(losses) if loss not in self._losses]
            self._losses.update(new)
            latest = (*self._status.data_loss, *new)[-MAX_LOSSES:]
            self._status = replace(self._status, data_loss=latest, data_loss_total=len(self._losses))
