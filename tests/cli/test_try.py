"""`kwitness try`: what a person sees first, what other terminals ask meanwhile, and what is left when it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib import util
from pathlib import Path

import pytest
import requests

from kwitness.cli import try_here
from kwitness.e2e.kafka.broker_plugin import plugin_jar
from kwitness.e2e.kafka.jars import kafka_jars
from kwitness.sandbox.broker import KafkaJars
from kwitness.sandbox.sandbox import Sandbox
from kwitness.sandbox.waiting import run_to_end, wait_for_exit

from tests.cli.command import COMMAND
from tests.eventually import eventually

pytestmark = pytest.mark.broker
STAYS = "It runs until Ctrl-C"
ENOUGH_RECORDS = 300


class Started:
    """The command as a process of its own, with its own folders for temporary files and sessions."""

    def __init__(self, home: Path, *arguments: str) -> None:
        self.temporary, self.log = home / "temporary", home / "log"
        (home / "run").mkdir()
        self.temporary.mkdir()
        # No Cargo and no observer on the path.
        self.environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(home),
            "TMPDIR": str(self.temporary),
            "XDG_RUNTIME_DIR": str(home / "run"),
            "KUBECONFIG": str(home / "none"),
            "JAVA_HOME": os.environ.get("JAVA_HOME", ""),
            # No server of loopback is asked through it.
            "HTTP_PROXY": "http://127.0.0.1:1",
            "http_proxy": "http://127.0.0.1:1",
        }
        options = ["--kafka", str(kafka_jars("4.3.1")), "--plugin", str(plugin_jar()), *arguments]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen([*COMMAND, "try", *options], env=self.environment, stdout=log, stderr=log)

    def types(self, *arguments: str) -> str:
        """Return what a command in another terminal prints, on either output."""
        done = run_to_end([*COMMAND, *arguments], env=self.environment)
        return done.stdout + done.stderr

    def shown(self) -> str:
        return self.log.read_text()

    def delivered(self, client_id: str) -> int:
        """Return how many records of a client were acknowledged, in hundreds."""
        [log] = self.temporary.glob(f"kwitness-try-*/{client_id}.log")
        return max(map(int, re.findall(r"^delivered (\d+)$", log.read_text(), re.MULTILINE)), default=0)

    def processes(self) -> list[str]:
        """Command lines of all processes that use its folder."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                environment, line = (folder / "environ").read_bytes(), (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if str(self.temporary).encode() in environment + line and folder.name != str(os.getpid()):
                found.append(line.decode(errors="replace"))
        return found


def entrance_in(shown: str) -> str:
    """Return the address of the console that a person is shown."""
    found = re.search(r"The same in a browser, .*:\n  (http://127\.0\.0\.1:\d+/enter\?code=\S+)\n", shown)
    assert found is not None, shown
    return found[1]


def fleet_at(entrance: str) -> str:
    """Enter a console, and return its first page once that has all that the sandbox shows."""
    with requests.Session() as browser:
        browser.trust_env = False
        address = browser.get(entrance, timeout=30).url
        rows = f"{address}?by=client"
        return eventually(lambda: browser.get(rows, timeout=30).text, lambda text: "/clients/reports" in text)


@pytest.fixture
def started(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Started]:
    command = Started(tmp_path, *getattr(request, "param", ()))
    yield command
    command.process.kill()
    command.process.wait()
    eventually(command.processes, lambda left: not left)


def test_a_person_sees_all_four_clients_asks_for_them_and_leaves_nothing(started: Started) -> None:
    shown = eventually(started.shown, lambda text: "no observer: " in text, needs=[started.process])

    assert STAYS in shown
    assert re.search(r"The first client's metrics after \d+\.\d s\.", shown)
    assert re.search(r"confluent-kafka-python +\S+ +2\n", shown)
    assert re.search(r"kafka-python +3\.\S+ +1\n", shown)
    assert re.search(r"unknown +unknown +1\n", shown)
    throttled = dict(re.findall(r"(\w+) +producer\.produce\.throttle\.time\.avg +(\S+) +s", shown))
    assert throttled["checkout"] == "0"
    assert float(throttled["reports"]) > 0
    assert "kafka-python has no client telemetry in any version: use confluent-kafka-python, or observe it." in shown
    assert "no observer: the program kwitness-observer is not installed" in shown
    fleet = fleet_at(entrance_in(shown))
    assert {"checkout", "reports"} <= set(re.findall(r'href="/clients/(\w+)"', fleet))
    assert "kafka-python" in fleet, "billing, which brokers count and no source names"

    assert re.search(r"checkout .* Pushing\n", started.types("clients"))
    assert "TooOld" in started.types("clients", "--silent", "--why")
    assert "It pushes; its last push came" in started.types("why", "checkout")
    unnamed = started.types("why", "billing")
    assert "no client billing is known" in unnamed
    assert re.search(r"  1 connection of kafka-python \S+, TooOld: Kafka-python has no client telemetry", unnamed)
    assert "  1 connection of unknown unknown, TooOld: A client that announces no software" in unnamed
    assert "org.apache.kafka.producer.request.latency.avg" in started.types("metrics", "reports")
    steady = eventually(lambda: started.delivered("checkout"), lambda count: count >= ENOUGH_RECORDS)
    assert started.delivered("reports") > steady / 2, (
        "throttled requests wait for each other, and end the client's pushes"
    )
    assert "no cluster is configured" in started.types("clients", "--cluster", "main")

    started.process.send_signal(signal.SIGINT)
    assert wait_for_exit(started.process) == 128 + signal.SIGINT
    assert "Traceback" not in started.shown()
    assert started.processes() == []
    assert list(started.temporary.iterdir()) == []
    assert "no cluster is configured" in started.types("clients")


def test_one_that_is_killed_leaves_no_process_and_no_session(started: Started) -> None:
    eventually(started.shown, lambda text: "the first push of a client ..." in text, needs=[started.process])
    eventually(lambda: started.types("clients"), lambda text: "no cluster is configured" not in text)
    assert "kwitness.console" in "".join(started.processes())

    started.process.kill()
    started.process.wait()

    eventually(started.processes, lambda left: not left)
    assert "no cluster is configured" in started.types("clients")


@pytest.mark.parametrize("started", [["--no-console"]], indirect=True)
def test_one_without_a_console_starts_none(started: Started) -> None:
    eventually(started.shown, lambda text: "In another terminal:" in text, needs=[started.process])

    assert "in a browser" not in started.shown()
    assert "kwitness.console" not in "".join(started.processes())


def test_libraries_of_the_console_that_are_not_installed_are_named_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name: None if name == "jinja2" else found(name))
    sandbox = Sandbox(tmp_path, KafkaJars(kafka_jars("4.3.1")), plugin=plugin_jar())

    assert try_here.start_console(sandbox) is None
    assert sandbox.console is None
    assert "no console: jinja2 is not installed: install the extra `console`" in capsys.readouterr().err


def test_a_session_in_a_folder_of_others_is_not_asked(tmp_path: Path) -> None:
    folder = tmp_path / "kwitness-try"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    code = "from kwitness.sandbox.session import Session, find_session, published\n"
    code += "with published(Session(pid=1, bootstrap='', collector_address='', metrics_url='', reader_token='')): pass"
    done = run_to_end([sys.executable, "-c", code], env={"XDG_RUNTIME_DIR": str(tmp_path)})

    assert "belongs to another user or is open to others" in done.stderr


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"--kafka": "{home}"}, "has no jar of a Kafka server, such as kafka_2.13-4.3.1.jar"),
        ({"--kafka": "{home}/old"}, "is Kafka 3.6.2, whose brokers take no metrics from clients: use 3.7 or later"),
        ({"--plugin": "{home}/none.jar"}, "the broker plugin is not at"),
        ({"PATH": "/nowhere"}, "Java cannot be run"),
    ],
)
def test_an_obstacle_is_named_before_anything_starts(change: dict[str, str], sentence: str, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "kafka_2.13-3.6.2.jar").touch()
    given = {
        "--kafka": str(kafka_jars("4.3.1")),
        "--plugin": str(plugin_jar()),
        "PATH": "/usr/bin:/bin",
        "TMPDIR": str(tmp_path),
    }
    given |= {name: value.format(home=tmp_path) for name, value in change.items()}
    options = [part for name in ("--kafka", "--plugin") for part in (name, given[name])]
    done = run_to_end([*COMMAND, "try", *options], env={name: given[name] for name in ("PATH", "TMPDIR")})

    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_libraries_that_are_not_installed_are_named(tmp_path: Path) -> None:
    blocked = "import sys; sys.modules.update(dict.fromkeys(['kafka', 'prometheus_client', 'confluent_kafka']))\n"
    code = f"{blocked}from kwitness.cli.__main__ import main; sys.exit(main())"
    done = run_to_end(
        [sys.executable, "-c", code, "try", "--kafka", kafka_jars("4.3.1")],
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path)},
    )

    assert done.returncode == 1
    assert (
        "confluent-kafka, kafka-python, prometheus-client is not installed: pip install 'kwitness[try]'" in done.stderr
    )
