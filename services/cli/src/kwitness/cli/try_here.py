"""`kwitness try`: a broker, a collector and clients on this machine, and what kwitness shows of them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer

from kwitness.answers.access.collector_access import CollectorAccess
from kwitness.answers.access.local_route import LocalRoute
from kwitness.answers.access.questions import Questions, Selection
from kwitness.answers.failure import CommandFailedError
from kwitness.cli import observe
from kwitness.cli.console import missing_libraries
from kwitness.cli.options import Options, new_app
from kwitness.cli.output import Output, warn
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.sandbox import needs
from kwitness.sandbox.broker import KafkaJars, NoKafkaError
from kwitness.sandbox.client_programs import CLIENTS, PUSH_INTERVAL_S
from kwitness.sandbox.session import Session, published
from kwitness.sandbox.waiting import WaitFailedError, wait_until

if TYPE_CHECKING:
    from kwitness.sandbox.console import Console
    from kwitness.sandbox.sandbox import Sandbox

__all__ = ["app", "start_console"]

_PLUGIN: Final = Path(needs.__file__).resolve().parent / "kwitness-broker-plugin.jar"
"""A wheel has it there."""
_LOOK_S: Final = 1.0

app = new_app(SUBCOMMANDS["try"].about)


@app.command()
def run(
    *,
    kafka: Annotated[
        Path | None,
        typer.Option("--kafka", metavar="FOLDER", help="Unpacked release of Kafka, or a folder of its jars."),
    ] = None,
    plugin: Annotated[
        Path | None,
        typer.Option("--plugin", metavar="JAR", help="Jar of the broker plugin; by default that of the wheel."),
    ] = None,
    jvm_options: Annotated[
        list[str] | None,
        typer.Option("--jvm-option", metavar="OPTION", help="Option for the broker's virtual machine."),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Exit after the tables, instead of at Ctrl-C.")] = False,
    observer: Annotated[bool, typer.Option(help="Put an observer in front of the clients that cannot push.")] = True,
    console: Annotated[bool, typer.Option(help="Run the console, whose address follows the tables.")] = True,
    log: Annotated[
        Path | None, typer.Option("--log", metavar="FILE", help="Write there what follows the tables; made by then.")
    ] = None,
) -> None:
    """Start a broker with the plugin, a collector and four clients, show what they push and who is silent, and stay.

    Everything listens on 127.0.0.1 and ends with this command. Other terminals ask the same collector: kwitness
    clients, connections, topics, groups, why, metrics, tail and console need no kubeconfig while this runs.
    """
    if kafka is None:
        raise CommandFailedError(
            "name a Kafka by --kafka FOLDER: unpack a binary release, or type `make try` in a clone"
        )
    began = time.monotonic()
    with _folder() as folder:
        try:
            jars = KafkaJars(kafka)
        except NoKafkaError as error:
            raise CommandFailedError(str(error)) from error
        if missing := needs.missing(folder):
            raise CommandFailedError("; ".join(missing))
        from kwitness.sandbox.sandbox import Sandbox  # noqa: PLC0415 - it needs the libraries that were just checked

        sandbox = Sandbox(folder, jars, plugin=_plugin(plugin), jvm_options=jvm_options or ())
        print(f"A broker of Kafka {jars.version} with the plugin, a collector and {len(CLIENTS)} clients:", flush=True)
        with sandbox:
            _show(sandbox, began, once=once, observer=observer, console=console and not once, log=log)


def _show(sandbox: Sandbox, began: float, *, once: bool, observer: bool, console: bool, log: Path | None) -> None:
    session = Session(
        pid=os.getpid(),
        bootstrap=sandbox.bootstrap,
        collector_address=sandbox.collector.address,
        metrics_url=sandbox.collector.metrics_url,
        reader_token=sandbox.collector.reader_token,
    )
    from kwitness.cli import first_look  # noqa: PLC0415 - likewise

    output = Output(Options())
    try:
        with _step(f"broker {session.bootstrap}, collector {session.metrics_url}"):
            sandbox.start()
        with _step(f"a subscription to all metrics, every {PUSH_INTERVAL_S} s"):
            sandbox.subscribe()
        sandbox.start_clients()
        with published(session), CollectorAccess(LocalRoute(session)) as collector:
            # It starts while the clients do.
            pages = start_console(sandbox) if console else None
            questions = Questions(collector)
            with _step("the first push of a client"):
                wait_until(lambda: any(client.metrics for client in questions.clients().items), what="a first push")
            print(f"The first client's metrics after {time.monotonic() - began:.1f} s.", flush=True)
            wait_until(lambda: _is_complete(questions, first_look.THROTTLE_TIME), what="all clients")
            first_look.show_connected(output, sandbox.collector.scrape())
            first_look.show_pushing(output, questions)
            first_look.show_metrics(output, questions)
            first_look.show_silent(output, questions)
            if pages is not None:
                print(f"\nThe same in a browser, which this address lets in once:\n  {pages.entrance()}", flush=True)
            if not once:
                _show_commands(session)
            if log is not None:
                _continue_in(log)
            if observer:
                _observe(sandbox, questions)
            if not once:
                _stay(sandbox)
    except (RuntimeError, WaitFailedError) as error:
        raise CommandFailedError(str(error)) from error


def _is_complete(questions: Questions, throttle_time: str) -> bool:
    """Return whether each client shows what it is here for: it pushes, is throttled, or is silent."""
    throttled = {}
    for client in questions.clients().items:
        answer = questions.metrics(client.client_instance_id) if client.client_instance_id else None
        values = [point.value for point in answer.metrics if point.name == throttle_time] if answer else []
        throttled[client.client_id] = any(values)
    pushing = {client.client_id: client.bytes_per_second is not None for client in CLIENTS if not client.is_silent}
    return throttled == pushing and len(questions.silent().items) >= len(CLIENTS) - len(pushing)


def _observe(sandbox: Sandbox, questions: Questions) -> None:
    """Put an observer in front of the silent clients, where its program is there or can be built."""
    silent = [client.client_id for client in CLIENTS if client.is_silent]
    try:
        with _step("an observer, the way to see clients that cannot push"):
            program = observe.find()
    except CommandFailedError as error:
        warn(f"no observer: {error}")
        return
    with _step(f"{' and '.join(silent)} begin at the observer"):
        sandbox.observe(program)
        selections = [Selection({"client_id": name}) for name in silent]
        wait_until(
            lambda: all(questions.connections(selection).items for selection in selections),
            what="the observer's report",
        )


def start_console(sandbox: Sandbox) -> Console | None:
    """Start the console where its libraries are installed."""
    if missing := missing_libraries():
        warn(f"no console: {missing}")
        return None
    return sandbox.start_console()


def _show_commands(session: Session) -> None:
    kwitness = _as_typed()
    lines = [
        f"{kwitness} clients --watch",
        f"{kwitness} clients --silent --why",
        f"{kwitness} why {CLIENTS[-1].client_id}",
        f"{kwitness} metrics {CLIENTS[0].client_id} --watch",
        f"{kwitness} console",
        f"{kwitness} observe --bootstrap {session.bootstrap}",
        f"curl -s {session.metrics_url} | grep ^kafka_client_",
    ]
    print("\nIt runs until Ctrl-C. In another terminal:\n" + "\n".join(f"  {line}" for line in lines), flush=True)


def _continue_in(log: Path) -> None:
    """Send all further output to a file."""
    with log.open("ab") as opened:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            os.dup2(opened.fileno(), stream.fileno())


def _stay(sandbox: Sandbox) -> None:
    while not (ended := sandbox.ended()):
        time.sleep(_LOOK_S)
    raise CommandFailedError(f"{', '.join(ended)} ended: this is a defect, or the machine ran out of memory")


def _as_typed() -> str:
    """The command as a shell finds it: by its name, or the path from here to this environment's."""
    own = Path(sys.executable).with_name("kwitness")
    found = shutil.which("kwitness")
    if not own.exists() or (found is not None and Path(found).samefile(own)):
        return "kwitness"
    return os.fspath(own.relative_to(Path.cwd()) if own.is_relative_to(Path.cwd()) else own)


@contextlib.contextmanager
def _step(what: str) -> Iterator[None]:
    """Say what is going on, and how long it took once it is done."""
    began = time.monotonic()
    print(f"  {what} ...", end="", flush=True)
    try:
        yield
    except BaseException:
        print(flush=True)
        raise
    print(f" {time.monotonic() - began:.1f} s", flush=True)


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """A temporary folder that is gone also after SIGTERM and SIGHUP."""

    def end(number: int, _: FrameType | None) -> NoReturn:
        sys.exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    with tempfile.TemporaryDirectory(prefix="kwitness-try-") as name:
        yield Path(name)


def _plugin(given: Path | None) -> Path:
    plugin = given or _PLUGIN
    if plugin.is_file():
        return plugin
    raise CommandFailedError(
        f"the broker plugin is not at {plugin}: name it by --plugin, or build it by "
        "`mvn -f services/broker-plugin/pom.xml package` in a clone"
    )
