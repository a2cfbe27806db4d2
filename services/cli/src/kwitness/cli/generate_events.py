"""`kwitness generate events`: what the observers of a fleet would have written, into a file or into topics."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import NamedTuple

from kwitness.cli.event_destinations import FileDestination, KafkaDestination
from kwitness.cli.failure import CommandFailedError
from kwitness.cli.fleet import Faults, Fleet, FleetRecord, events
from kwitness.contracts.topics import DEFAULT_PREFIX

ABOUT = "Events of an invented fleet, for tests of jobs and tables"
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


def parser() -> argparse.ArgumentParser:
    """What it takes."""
    defaults = Fleet()
    whole = argparse.ArgumentParser(
        prog="kwitness generate events",
        description="Write what the observers of an invented fleet would have written: rows of traffic, connections, "
        "headers, and seals. The same options with the same --start make the same events, to the byte.",
    )
    size = whole.add_argument_group("the fleet")
    size.add_argument(
        "--clients", type=int, default=1_000, metavar="N", help="default %(default)s; half of them produce"
    )
    size.add_argument("--topics", type=int, default=50, metavar="N", help="default %(default)s")
    size.add_argument(
        "--partitions", type=int, default=defaults.partitions, metavar="N", help="of each topic; default %(default)s"
    )
    size.add_argument("--sources", type=int, default=10, metavar="N", help="observers; default %(default)s")
    size.add_argument("--cluster-id", default=defaults.cluster_id, metavar="ID", help="default %(default)s")
    size.add_argument(
        "--seed", type=int, default=1, metavar="N", help="another one is another fleet; default %(default)s"
    )
    size.add_argument(
        "--old-clients",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="of applications whose library uses what Kafka 4.0 removed; default 0",
    )
    size.add_argument("--headers", action="store_true", help="records have headers, which observers look at")
    size.add_argument("--requests", action="store_true", help="write requests and answers one by one as well")
    size.add_argument("--interceptors", action="store_true", help="write what interceptors in consumers count as well")
    duration = whole.add_argument_group("the time")
    duration.add_argument(
        "--for", dest="duration", type=_duration, default="1m", metavar="TIME", help="such as 10m; default %(default)s"
    )
    duration.add_argument(
        "--start", type=int, metavar="MS", help="first window, in milliseconds since 1970; else the last one ends now"
    )
    duration.add_argument(
        "--window", type=int, default=defaults.window_s, metavar="SECONDS", help="length; default %(default)s"
    )
    duration.add_argument(
        "--epochs", type=int, default=1, metavar="N", help="how often each observer was started; default %(default)s"
    )
    duration.add_argument(
        "--push-interval",
        type=int,
        default=defaults.push_s,
        metavar="SECONDS",
        help="how often each client pushes metrics, in whole windows; default %(default)s, never",
    )
    faults = whole.add_argument_group("the faults, as shares of all records from 0 to 1; default 0")
    for name, meaning in _SHARES.items():
        faults.add_argument(f"--{name}", type=float, default=0.0, metavar="SHARE", help=f"that {meaning}")
    faults.add_argument(
        "--skips", type=float, default=0.0, metavar="SHARE", help="of groups' fetches that pass over half of them"
    )
    faults.add_argument(
        "--late-windows", type=int, default=Faults().late_windows, metavar="N", help="at most; default %(default)s"
    )
    where = whole.add_argument_group("where to")
    one = where.add_mutually_exclusive_group(required=True)
    one.add_argument(
        "--output", metavar="FILE", help="a JSON object on a line for each record; - is the standard output"
    )
    one.add_argument(
        "--bootstrap", metavar="HOST:PORT", help="topics of a Kafka on this machine, without TLS and sign-in"
    )
    where.add_argument("--prefix", default=DEFAULT_PREFIX, metavar="TEXT", help="of the topics; default %(default)s")
    where.add_argument(
        "--yes-this-is-a-test-cluster", action="store_true", help="allow brokers that are not on this machine"
    )
    return whole
