"""`kwitness observe`, installed as the README says, on a terminal and into a file."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer

from kwitness.e2e.kafka.jars import kafka_jars
from kwitness.e2e.kafka.local_broker import Listener, LocalBroker
from kwitness.images.build_time import noted_build
from kwitness.images.cache import rust_target
from kwitness.images.image_parts import OBSERVER_CRATES
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.waiting import run_to_end, wait_for_exit

from tests.eventually import eventually
from tests.observer.dialled_ports import port_of
from tests.observer.librdkafka import RECORDS, consume_by_librdkafka, produce_by_librdkafka

pytestmark = pytest.mark.broker

ROOT = Path(__file__).resolve().parents[2]
UV = ROOT / ".venv/bin/uv"
TYPED = ("make wheels", "pip install dist/*.whl", "kwitness observe --bootstrap HOST:PORT")
"""What a person types, in the README and in the guide."""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Those of the command and of the program, the latter built as `cargo test` builds it."""
    folder = tmp_path_factory.mktemp("wheels")
    make = ["make", "wheels", "CARGO_PROFILE=quick", f"WHEELS={folder}"]
    own = [f"--package=kwitness-{name}" for name in ("observer", "otlp", *OBSERVER_CRATES)]
    with noted_build("wheels"), rust_target() as target:
        environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
        for command in (["cargo", "clean", "--quiet", "--locked", "--profile=quick", *own], make):
            subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    (command,) = folder.glob("kwitness-*.whl")
    (program,) = folder.glob("kwitness_observer-*.whl")
    return command, program


@pytest.fixture(scope="module")
def environment(wheels: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with nothing but the two."""
    return installed(tmp_path_factory.mktemp("both"), *wheels)


def test_the_sandbox_of_the_wheels_has_plugin_and_observer(environment: Path, tmp_path: Path) -> None:
    # Libraries of the command and the collector are this environment's.
    variables = {"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    variables["PYTHONPATH"] = sysconfig.get_paths()["purelib"]
    command = [environment / "bin/kwitness", "try", "--kafka", kafka_jars("4.3.1"), "--once"]
    done = run_to_end(command, env=variables)

    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"reports +producer\.produce\.throttle\.time\.avg", done.stdout)
    assert re.search(r"billing and archive begin at the observer \.\.\. \d+\.\d s", done.stdout)
    assert done.stderr == ""


def installed(environment: Path, *wheels: Path) -> Path:
    subprocess.run([UV, "venv", "--quiet", "--clear", environment], check=True)
    install = [UV, "pip", "install", "--quiet", "--offline", "--python", environment / "bin/python"]
    subprocess.run([*install, *wheels], check=True)
    return environment


def refused(environment: Path, *arguments: str) -> tuple[int, str]:
    """The exit status, and what is said on standard error."""
    command = [environment / "bin/kwitness", "observe", *arguments]
    done = run_to_end(command, env={"PATH": "/nowhere"})
    assert done.stdout == ""
    return done.returncode, done.stderr


@pytest.fixture
def listen() -> str:
    return f"127.0.0.1:{free_port()}"


@contextlib.contextmanager
def shown(environment: Path, folder: Path, *arguments: str, warning: str = "") -> Iterator[Path]:
    """What the command writes to a file meanwhile; standard error has this warning, or is empty."""
    out, errors = folder / "shown", folder / "errors"
    with out.open("wb") as stdout, errors.open("wb") as stderr:
        process = subprocess.Popen([environment / "bin/kwitness", "observe", *arguments], stdout=stdout, stderr=stderr)
    try:
        eventually(out.read_text, lambda text: "Point clients at" in text, every=0.1)
        yield out
    finally:
        process.terminate()
        ended = wait_for_exit(process)
    assert ended == 0
    assert warning in errors.read_text() if warning else errors.read_text() == ""


def rows(shown: Path, api: str, topic: str) -> list[list[str]]:
    """The cells of each row so far that is about an API and a topic."""
    cells = (re.split(r" {2,}", line) for line in shown.read_text().splitlines())
    return [row for row in cells if {api, topic} <= set(row)]


def test_a_table_shows_what_a_client_does(
    environment: Path, kafka: LocalBroker, listen: str, dialled: set[int], tmp_path: Path
) -> None:
    with shown(environment, tmp_path, "--bootstrap", kafka.bootstrap, "--listen", listen) as table:
        held = Producer({"bootstrap.servers": listen, "client.id": "held"})
        held.list_topics(timeout=30)
        eventually(table.read_text, lambda text: "connected  confluent-kafka-python" in text)
        produce_by_librdkafka(listen, "laptop")
        assert len(consume_by_librdkafka(listen, "laptop", RECORDS)) == RECORDS

        for api in ("Produce", "Fetch"):
            eventually(lambda: rows(table, api, "laptop"), lambda now: now and now[-1][-1] == f"{RECORDS}")  # noqa: B023
        del held

    text = table.read_text()
    assert f"Point clients at bootstrap.servers={listen};" in text
    assert re.search(r"^client +principal +software +api +topic ", text, re.MULTILINE)
    assert "\x1b" not in text
    assert port_of(kafka.bootstrap) not in dialled


def test_clients_without_tls_sign_in_at_brokers_with_it_and_are_named(
    environment: Path, kafka: LocalBroker, listen: str, tmp_path: Path
) -> None:
    assert kafka.certificates is not None
    brokers = ["--bootstrap", kafka.bootstrap_of(Listener.SASL_SSL_SCRAM), "--ca", str(kafka.certificates.ca_file)]
    scram = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "SCRAM-SHA-512"}
    admin = {"sasl.username": "admin", "sasl.password": kafka.users["admin"]}
    with shown(environment, tmp_path, *brokers, "--listen", listen) as table:
        produce_by_librdkafka(listen, "laptop-sasl", **scram, **admin)

        [*_, last] = eventually(lambda: rows(table, "Produce", "laptop-sasl"))

    assert last[:2] == ["demo-rdkafka", "User:admin"]
    assert kafka.users["admin"] not in table.read_text()


def test_brokers_that_the_system_does_not_trust_get_no_client(
    environment: Path, kafka: LocalBroker, listen: str, tmp_path: Path
) -> None:
    brokers = ["--bootstrap", kafka.bootstrap_of(Listener.SSL), "--tls"]
    warning = "WARNING A client was closed because no broker could be reached (source: 127.0.0.1, reason: "
    with shown(environment, tmp_path, *brokers, "--listen", listen, warning=warning + kafka.bootstrap_of(Listener.SSL)):
        producer = Producer({"bootstrap.servers": listen, "log_level": 0})
        eventually((tmp_path / "errors").read_text, lambda text: warning in text, every=0.1)
        del producer

    assert "ca-certificates.crt" in (tmp_path / "errors").read_text()


def test_on_a_terminal_the_table_is_redrawn_until_control_c(environment: Path, listen: str) -> None:
    nowhere = f"127.0.0.1:{free_port()}"
    program = str(environment / "bin/kwitness")
    child, terminal = pty.fork()
    if child == 0:
        os.execv(program, [program, "observe", "--bootstrap", nowhere, "--listen", listen])
    screen = bytearray()

    def read() -> str:
        screen.extend(os.read(terminal, 65536))
        return screen.decode()

    try:
        eventually(read, lambda text: f"\x1b[H\x1b[2JRelaying to {nowhere}." in text, every=0)
        producer = Producer({"bootstrap.servers": listen, "log_level": 0})
        eventually(read, lambda text: "WARNING A client was closed because no broker could be reached" in text, every=0)
        del producer
    finally:
        os.write(terminal, b"\x03")
        _, status = os.waitpid(child, 0)
        os.close(terminal)

    assert os.waitstatus_to_exitcode(status) == 0


def test_without_the_program_it_says_how_to_get_it(wheels: tuple[Path, Path], tmp_path: Path) -> None:
    status, said = refused(installed(tmp_path / "one", wheels[0]), "--bootstrap", "kafka:9092")

    assert status == 1
    assert said.startswith("kwitness observe: the program kwitness-observer is neither installed beside it nor")
    for command in TYPED[:2]:
        assert f"`{command}`" in said


def test_wrong_arguments_are_refused_under_the_name_that_was_typed(environment: Path) -> None:
    status, said = refused(environment)
    assert status == 2
    assert "Usage: kwitness observe --bootstrap <HOST:PORT>" in said

    status, said = refused(environment, "--bootstrap", "kafka:9092", "--listen", "0.0.0.0:9092")
    assert status == 1
    assert said.startswith("ERROR The observer cannot run (reason: --listen 0.0.0.0:9092 is no address")

    status, said = refused(environment, "--bootstrap", "kafka:9092", "--ca", "/nowhere/ca.pem")
    assert status == 1
    assert said.startswith("ERROR The observer cannot run (reason: /nowhere/ca.pem: No such file")


def test_pages_tell_to_type_what_is_run_here(environment: Path) -> None:
    help_text = subprocess.run(
        [environment / "bin/kwitness", "observe", "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert help_text == (ROOT / "services/observer/observe-help.txt").read_text()
    pages = {page: page.read_text() for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))}
    lines = [line for text in pages.values() for line in re.findall(r"kwitness observe( --[^\n`]*)", text)]

    assert lines
    for option in {option for line in lines for option in re.findall(r"--[a-z-]+", line)}:
        assert option in help_text
    for page in (ROOT / "README.md", ROOT / "docs/guides/laptop.md"):
        assert "\n".join(TYPED) in pages[page].replace("    ", ""), page
