"""`kwitness generate events`: what the observers of a fleet would have written, into a file or into topics."""

from __future__ import annotations

import functools
import inspect
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Final

import typer

from kwitness.answers.failure import CommandFailedError, WrongUseError
from kwitness.cli.event_destinations import FileDestination, KafkaDestination
from kwitness.cli.fleet import Faults, Fleet, FleetRecord, events
from kwitness.contracts.topics import DEFAULT_PREFIX

__all__ = ["generate_events"]

_SHARES: Final = {
    "late": "arrive up to --late-windows windows late",
    "duplicates": "arrive twice",
    "reordered": "change places within their window",
    "corrupt": "cannot be read, or break their contract",
    "lost": "never arrive, though their seal counts them",
    "dropped": "never arrive, and their seal says so",
    "too-old": "are of eight days before",
    "from-the-future": "are of two hours ahead",
}
_REPORTED_EVERY_S: Final = 2.0
_DEFAULTS: Final = Fleet()


def _with_shares(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each share of `Faults`, as its argument `shares`."""
    parameters = inspect.signature(function, eval_str=True).parameters
    own = [parameter for name, parameter in parameters.items() if name != "shares"]
    options = {name.replace("-", "_"): _share(name, meaning) for name, meaning in _SHARES.items()}

    @functools.wraps(function)
    def command(**given: Any) -> None:
        function(shares={name: given.pop(name) for name in options}, **given)

    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=0.0, annotation=Annotated[float, option])
        for name, option in options.items()
    ]
    # typer reads what a function takes from these two.
    vars(command)["__signature__"] = inspect.Signature([*own, *added])
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in (*own, *added)}
    return command


def _share(name: str, meaning: str) -> Any:
    text = f"Share of records that {meaning}; by default 0."
    return typer.Option(f"--{name}", metavar="SHARE", help=text, show_default=False)


def _option(option: str, metavar: str, text: str, default: Any = None) -> Any:
    known = f"{text}." if default is None else f"{text}; by default {default}."
    return typer.Option(option, metavar=metavar, help=known, show_default=False)


@_with_shares
def generate_events(
    *,
    shares: Mapping[str, float],
    to: Annotated[
        str | None,
        _option("--to", "FILE", "File with a line of JSON for each record; - is the standard output"),
    ] = None,
    bootstrap: Annotated[
        str | None, _option("--bootstrap", "HOST:PORT", "Kafka on this machine, without TLS and sign-in")
    ] = None,
    prefix: Annotated[
        str, _option("--prefix", "TEXT", "Prefix of the topics", DEFAULT_PREFIX.rstrip("."))
    ] = DEFAULT_PREFIX,
    yes_this_is_a_test_cluster: Annotated[
        bool, typer.Option("--yes-this-is-a-test-cluster", help="Allow brokers that are not on this machine.")
    ] = False,
    clients: Annotated[int, _option("--clients", "N", "Clients, half of which produce", 1_000)] = 1_000,
    topics: Annotated[int, _option("--topics", "N", "Topics", 50)] = 50,
    partitions: Annotated[
        int, _option("--partitions", "N", "Partitions of each topic", _DEFAULTS.partitions)
    ] = _DEFAULTS.partitions,
    sources: Annotated[int, _option("--sources", "N", "Observers", 10)] = 10,
    cluster_id: Annotated[
        str, _option("--cluster-id", "ID", "Id of the cluster", _DEFAULTS.cluster_id)
    ] = _DEFAULTS.cluster_id,
    seed: Annotated[int, _option("--seed", "N", "Seed of the fleet", 1)] = 1,
    old_clients: Annotated[float, _option("--old-clients", "SHARE", "Share that uses what Kafka 4.0 removed", 0)] = 0.0,
    headers: Annotated[bool, typer.Option("--headers", help="Add headers to records, which observers read.")] = False,
    requests: Annotated[
        bool, typer.Option("--requests", help="Write requests and answers one by one as well.")
    ] = False,
    interceptors: Annotated[
        bool, typer.Option("--interceptors", help="Write counts of interceptors in consumers as well.")
    ] = False,
    length: Annotated[str, _option("--for", "TIME", "Time that they span, such as 10m", "1m")] = "1m",
    start: Annotated[
        int | None, _option("--start", "MS", "First window, in ms since 1970; by default the last ends now")
    ] = None,
    window: Annotated[
        int, _option("--window", "SECONDS", "Length of a window", _DEFAULTS.window_s)
    ] = _DEFAULTS.window_s,
    epochs: Annotated[int, _option("--epochs", "N", "Starts of each observer", 1)] = 1,
    push_interval: Annotated[
        int, _option("--push-interval", "SECONDS", "Time between pushes, or 0", _DEFAULTS.push_s)
    ] = _DEFAULTS.push_s,
    skips: Annotated[float, _option("--skips", "SHARE", "Share of fetches that skip half of their records", 0)] = 0.0,
    late_windows: Annotated[
        int, _option("--late-windows", "N", "Most windows of --late", Faults().late_windows)
    ] = Faults().late_windows,
) -> None:
    """Write events of a simulated fleet, for tests of jobs and tables.

    They are rows of traffic, connections, headers, and seals. The same options with the same --start make the same
    events, to the byte. The shares of records with faults are from 0 to 1.
    """
    if (to is None) == (bootstrap is None):
        raise typer.BadParameter("give either --to FILE or --bootstrap HOST:PORT.")
    seconds = _seconds(length)
    window_ms = window * 1000
    start_ms = time.time_ns() // 1_000_000 - seconds * 1000 if start is None else start
    try:
        fleet = Fleet(
            clients=clients,
            topics=topics,
            partitions=partitions,
            sources=sources,
            seconds=seconds,
            window_s=window,
            epochs=epochs,
            requests=requests,
            interceptors=interceptors,
            push_s=push_interval,
            seed=seed,
            start_ms=start_ms - start_ms % window_ms if start is None and window_ms > 0 else start_ms,
            cluster_id=cluster_id,
            old_clients=old_clients,
            headers=headers,
            skips=skips,
            faults=Faults(**shares, late_windows=late_windows),
        )
    except ValueError as error:
        raise CommandFailedError(f"there is no such fleet: {error}") from error
    if bootstrap is None:
        destination: FileDestination | KafkaDestination = FileDestination(str(to))
    else:
        destination = KafkaDestination(
            bootstrap, prefix, may_be_anywhere=yes_this_is_a_test_cluster, has_pushes=fleet.push_s > 0
        )
    started = time.monotonic()
    written = destination.write(_reported(events(fleet)))
    elapsed = time.monotonic() - started
    print(f"{written:,} records of {length} written to {destination.name} in {elapsed:.1f} s", file=sys.stderr)


def _seconds(length: str) -> int:
    from kwitness.cli.looking_again import duration_option  # noqa: PLC0415 - it needs pydantic, and --help does not

    seconds = duration_option(length) or 0.0
    if not seconds.is_integer():
        raise WrongUseError(f"--for {length}: give whole seconds, such as 90s")
    return int(seconds)


def _reported(records: Iterator[FleetRecord]) -> Iterator[FleetRecord]:
    """Report from time to time how many there were."""
    next_s = time.monotonic() + _REPORTED_EVERY_S
    for number, record in enumerate(records, 1):
        yield record
        # To read the clock for each record would take a tenth of the time.
        if number % 1_000 == 0 and (now := time.monotonic()) >= next_s:
            print(f"{number:,} records", file=sys.stderr)
            next_s = now + _REPORTED_EVERY_S
