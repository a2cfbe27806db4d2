"""Invented fleets: what observers of any number of clients would have written, without clients or observers.

`events` yields them in the order of their arrival, the same for the same `Fleet`, and holds one window of one source at
a time. They are what observers write (`kwitness.contracts.records`): numbers of one sequence by source and epoch, of
which some belong to totals and are in no topic; a seal for each source, window and topic; offsets that add up, since
groups read what producers wrote. Tests of the jobs, the benchmarks and `kwitness generate events` take them from here,
so nothing is imported but the standard library and the names of topics.
"""

from __future__ import annotations

from .events import events
from .faults import Fault
from .fleet import Faults, Fleet
from .record import FleetRecord

__all__ = ["Fault", "Faults", "Fleet", "FleetRecord", "events"]
