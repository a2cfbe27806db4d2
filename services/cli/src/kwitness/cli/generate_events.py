"""`kwitness generate events`: what the observers of a fleet would have written, into a file or into topics."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from kwitness.cli.arguments import Arguments
from kwitness.cli.event_destinations import FileDestination, KafkaDestination
from kwitness.cli.failure import CommandFailedError
from kwitness.cli.fleet import Faults, Fleet, FleetRecord, events
from kwitness.contracts.topics import DEFAULT_PREFIX

ABOUT = "Write events of a simulated fleet, for tests of jobs and tables."
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_SHARES = {
    "late": "arrive up to --late-windows windows late",
    "duplicates": "arrive twice",
    "reordered": "change places within their window",
    "corrupt": "cannot be read, or break their contract",
    "lost": "never arrive, though their seal counts them",
    "dropped": "never arrive, and their seal says so",
    "too-old": "are of eight days before",
    "from-the-future": "are of two hours ahead",
}
_TOLD_EVERY_S = 2.0


def run(arguments: Sequence[str]) -> int:
    """Write the events to where they are asked for, and say on standard error how far it is.

    Raises
    ------
    CommandFailedError
        There is no such fleet, or its events cannot be written.
    """
    given = parser().parse_args(arguments)
    fleet = _fleet(given)
    if given.bootstrap is None:
        destination: FileDestination | KafkaDestination = FileDestination(given.output)
    else:
        destination = KafkaDestination(
            given.bootstrap,
            given.prefix,
            may_be_anywhere=given.yes_this_is_a_test_cluster,
            has_pushes=fleet.push_s > 0,
        )
    started = time.monotonic()
    written = destination.write(_told(events(fleet)))
    took = time.monotonic() - started
    print(
        f"{written:,} records of {given.duration.text} written to {destination.name} in {took:.1f} s", file=sys.stderr
    )
    return 0


def _fleet(given: argparse.Namespace) -> Fleet:
    window_ms = given.window * 1000
    now_ms = time.time_ns() // 1_000_000
    start_ms = now_ms - given.duration.seconds * 1000 if given.start is None else given.start
    try:
        return Fleet(
            clients=given.clients,
            topics=given.topics,
            partitions=given.partitions,
            sources=given.sources,
            seconds=given.duration.seconds,
            window_s=given.window,
            epochs=given.epochs,
            requests=given.requests,
            interceptors=given.interceptors,
            push_s=given.push_interval,
            seed=given.seed,
            start_ms=start_ms - start_ms % window_ms if given.start is None and window_ms > 0 else start_ms,
            cluster_id=given.cluster_id,
            old_clients=given.old_clients,
            headers=given.headers,
            skips=given.skips,
            faults=Faults(**{one.name: getattr(given, one.name) for one in fields(Faults)}),
        )
    except ValueError as error:
        raise CommandFailedError(f"there is no such fleet: {error}") from error


def _told(records: Iterator[FleetRecord]) -> Iterator[FleetRecord]:
    """Say from time to time how many there were."""
    next_s = time.monotonic() + _TOLD_EVERY_S
    for number, record in enumerate(records, 1):
        yield record
        # A look at the clock for each record would take a tenth of the time.
        if number % 1_000 == 0 and (now := time.monotonic()) >= next_s:
            print(f"{number:,} records", file=sys.stderr)
            next_s = now + _TOLD_EVERY_S


class _Duration(NamedTuple):
    """A time such as 90s, 10m, 2h or 7d, and its seconds."""

    text: str
    seconds: int


def _duration(text: str) -> _Duration:
    found = re.fullmatch(r"([0-9]{1,9})([smhd])", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text} is no time such as 90s, 10m, 2h or 7d")
    return _Duration(text, int(found[1]) * _UNITS[found[2]])


def _add(group: Any, option: str, meaning: str, **settings: Any) -> None:
    group.add_argument(option, help=f"{meaning}; by default %(default)s.", **settings)


def parser() -> Arguments:
    """Return the parser of its arguments."""
    defaults = Fleet()
    whole = Arguments(
        prog="kwitness generate events",
        description="Write events of a simulated fleet: rows of traffic, connections, headers, and seals. The same "
        "options with the same --start make the same events, to the byte.",
    )
    size = whole.add_argument_group("Fleet")
    span = whole.add_argument_group("Time")
    _add(size, "--clients", "Clients, half of which produce", type=int, default=1_000, metavar="N")
    _add(size, "--topics", "Topics", type=int, default=50, metavar="N")
    _add(size, "--partitions", "Partitions of each topic", type=int, default=defaults.partitions, metavar="N")
    _add(size, "--sources", "Observers", type=int, default=10, metavar="N")
    _add(size, "--cluster-id", "Id of the cluster", default=defaults.cluster_id, metavar="ID")
    _add(size, "--seed", "Seed of the fleet", type=int, default=1, metavar="N")
    _add(size, "--old-clients", "Share that uses what Kafka 4.0 removed", type=float, default=0.0, metavar="SHARE")
    size.add_argument("--headers", action="store_true", help="Add headers to records, which observers read.")
    size.add_argument("--requests", action="store_true", help="Write requests and answers one by one as well.")
    size.add_argument("--interceptors", action="store_true", help="Write counts of interceptors in consumers as well.")
    _add(span, "--for", "Time that they span, as 10m", type=_duration, default="1m", metavar="TIME", dest="duration")
    span.add_argument("--start", type=int, metavar="MS", help="First window, in ms since 1970; else the last ends now.")
    _add(span, "--window", "Length of a window", type=int, default=defaults.window_s, metavar="SECONDS")
    _add(span, "--epochs", "Starts of each observer", type=int, default=1, metavar="N")
    _add(span, "--push-interval", "Time between pushes, or 0", type=int, default=defaults.push_s, metavar="SECONDS")
    faults = whole.add_argument_group("Faults, as shares of all records from 0 to 1; by default 0")
    for name, meaning in _SHARES.items():
        faults.add_argument(
            f"--{name}", type=float, default=0.0, metavar="SHARE", help=f"Share of records that {meaning}."
        )
    faults.add_argument(
        "--skips", type=float, default=0.0, metavar="SHARE", help="Share of fetches that skip half of their records."
    )
    _add(faults, "--late-windows", "Most windows of --late", type=int, default=Faults().late_windows, metavar="N")
    where = whole.add_argument_group("Output")
    one = where.add_mutually_exclusive_group(required=True)
    one.add_argument(
        "--output", metavar="FILE", help="File with a line of JSON for each record; - is the standard output."
    )
    one.add_argument("--bootstrap", metavar="HOST:PORT", help="Kafka on this machine, without TLS and sign-in.")
    where.add_argument("--prefix", default=DEFAULT_PREFIX, metavar="TEXT", help="Prefix of the topics.")
    where.add_argument(
        "--yes-this-is-a-test-cluster", action="store_true", help="Allow brokers that are not on this machine."
    )
    return whole
