"""What a driver says about itself: a frozen value, and the one place that holds the present one."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from kwitness.jobs.ledger import Ledger
from kwitness.jobs.offsets import DataLoss

Phase = Literal["Starting", "Running", "Succeeded", "Failed"]
#: Ranges of lost records that are reported; the quarantine's folder has all.
MAX_LOSSES = 256


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
    """The answer of `/status`.

    Attributes
    ----------
    reason
        One of the reasons of AnalyticsJob; None while all is well.
    message
        What failed, with which input, and what to do.
    table_version
        Of the Delta table, written last.
    """

    phase: Phase = "Starting"
    reason: str | None = None
    message: str | None = None
    application_id: str | None = None
    driver_pod: str | None = None
    last_run: LastRun = field(default_factory=LastRun)
    lag: Lag = field(default_factory=Lag)
    ledger: Ledger = field(default_factory=Ledger)
    table_path: str | None = None
    table_version: int | None = None
    data_loss: tuple[DataLoss, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The document that the operator reads; what is not known is absent."""
        run, lag = self.last_run, self.lag
        return {
            "phase": self.phase,
            **_known(reason=self.reason, message=self.message),
            **_known(applicationId=self.application_id, driverPod=self.driver_pod),
            "lastRun": {
                **_known(start_ms=run.start_ms, end_ms=run.end_ms),
                "rows": run.rows,
                "batches": run.batches,
                "quarantined": run.quarantined,
            },
            "lag": _known(records=lag.records, oldest_timestamp_ms=lag.oldest_timestamp_ms),
            "ledger": self.ledger.as_json(),
            **_known(table_path=self.table_path, table_version=self.table_version),
            "data_loss": [
                {
                    "topic": loss.topic,
                    "partition": loss.partition,
                    "first_offset": loss.first_offset,
                    "last_offset": loss.last_offset,
                    "reason": loss.reason,
                }
                for loss in self.data_loss
            ],
        }


class StatusBoard:
    """Holds the present status; any thread may read and change it."""

    def __init__(self, status: DriverStatus) -> None:
        self._status = status
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
        """Add ranges of lost records; the oldest go when there are too many."""
        with self._lock:
            known = dict.fromkeys((*self._status.data_loss, *losses))
            self._status = replace(self._status, data_loss=tuple(known)[-MAX_LOSSES:])


def _known(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
