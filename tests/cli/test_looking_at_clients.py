"""`clients`, `metrics`, `tail` and `why`: typed into pipes and at a terminal, answered by a real collector."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import pytest
import yaml

from kwitness.cli.__main__ import main
from kwitness.e2e.ports import free_port
from kwitness.e2e.waiting import communicate, wait_for_exit

from tests.cli.command import COMMAND
from tests.cli.conftest import account, apply, cluster
from tests.cli.reviewed_collector import READERS, ReviewedCollector
from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import CREATION_TOTAL, LATENCY_AVG, batch, gauges, java_push, push

pytestmark = pytest.mark.slow

INSTANCE = "b69cc35a-7a54-4790-aa69-cc2bd4ee4538"
SECOND = "c0ffee00-7a54-4790-aa69-cc2bd4ee4538"
LIVELY = "feed0000-7a54-4790-aa69-cc2bd4ee4538"
PRODUCER = "org.apache.kafka.producer."
SUBSCRIPTIONS = [
    {"id": "slow-orders", "metrics": [PRODUCER], "interval_ms": 300_000, "match": {"client_id": "orders-7"}},
    {"id": "lively", "metrics": [PRODUCER], "interval_ms": 500, "match": {"client_id": "lively"}},
]
"""Nothing asks `prices`."""


class Pushing:
    """A collector, and the brokers that push to it."""

    def __init__(self, process: CollectorProcess) -> None:
        self.process = process
        self._numbers = itertools.count(1)

    def push(self, client: str, client_id: str, payload: bytes, **identity: Any) -> None:
        """A push whose client keeps to an hour, so that it is not forgotten while the file runs."""
        known = {"push_interval_ms": 3_600_000, "received_at_ms": int(time.time() * 1000), **identity}
        one = push(next(self._numbers), payload, client=client, client_id=client_id, **known)
        answer = self.process.push(batch([one]))
        assert answer.status == 200, answer.body

    def heartbeat(self) -> None:
        """A broker counts connections of a library that cannot push; it is forgotten after half a minute."""
        self.process.post("/v1/gauges", gauges({("librdkafka", "1.9.2"): 3}))

    def lively(self, latency_ms: float) -> None:
        """A push of `lively`, which is asked twice a second."""
        self.push(LIVELY, "lively", java_push(connections=1, latency_ms=latency_ms), push_interval_ms=500)


@pytest.fixture(scope="module")
def pushing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pushing]:
    """One collector for the whole file: two instances of `orders-7`, one of `prices`, one that cannot be read."""
    process = CollectorProcess(tmp_path_factory.mktemp("collector"))
    process.subscribe(SUBSCRIPTIONS)
    process.start()
    made = Pushing(process)
    made.push(INSTANCE, "orders-7", java_push(latency_ms=12.5), principal="User:orders")
    made.push(SECOND, "orders-7", java_push(latency_ms=3), principal="User:orders")
    made.push("d00dfeed-1", "prices", java_push(), client_software_name="librdkafka")
    made.push("badbad00-1", "broken", b"\xff\xff")
    yield made
    process.kill()


@pytest.fixture(scope="module")
def running(pushing: Pushing) -> CollectorProcess:
    return pushing.process


@pytest.fixture(scope="module")
def namespace(api) -> str:
    """One for the whole file, with KafkaCluster `orders`, whose collector the service account `readers` may read."""
    name = f"looking-{os.getpid()}"
    collector = {
        "apiVersion": "kwitness.dev/v1alpha1",
        "kind": "TelemetryCollector",
        "metadata": {"name": "main", "namespace": name},
        "spec": {
            "clusterRef": {"name": "orders"},
            "ingest": {"tls": {"insecurePlaintext": True}, "readers": [{"serviceAccount": READERS}]},
        },
    }
    made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    apply(api, made, cluster("orders", name), collector, account(READERS, name), account("others", name))
    return name


@pytest.fixture
def door(api, namespace, running) -> Iterator[ReviewedCollector]:
    with ReviewedCollector(api, running, namespace) as opened:
        yield opened


class Done(NamedTuple):
    """How a command ended, and what it wrote."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def types(person, door, capsys):
    """Type a command line that asks the collector behind the door; in this process, which has imported all by then."""

    def run(*arguments: str) -> Done:
        capsys.readouterr()
        whose = ("--kubeconfig", person.environment["KUBECONFIG"], "--collector-address", door.address)
        status = main([*arguments[:1], *whose, *arguments[1:]])
        return Done(status, *capsys.readouterr())

    return run


def item(**changes: Any) -> dict[str, Any]:
    """A client instance that pushed a moment ago, as `/v1/clients` answers."""
    now = int(time.time() * 1000)
    known = {
        "client_id": "orders-7",
        "client_instance_id": INSTANCE,
        "client_software_name": "apache-kafka-java",
        "client_software_version": "4.3.1",
        "principal": "User:orders",
        "client_address": "10.0.0.7",
        "first_seen_ms": now - 60_000,
        "last_push_ms": now - 1_000,
        "push_interval_ms": 5_000,
        "metrics": [LATENCY_AVG],
    }
    return {**known, **changes}


def answers_with(door: ReviewedCollector, *items: dict[str, Any], missing: tuple[int, ...] = ()) -> None:
    """In the place of the collector's own clients: those that take other brokers, or many minutes."""
    door.replaced["/v1/clients"] = (200, {"items": list(items), "missing": list(missing)})


def lines(done: Done) -> list[list[str]]:
    return [line.split() for line in done.stdout.splitlines()]


def test_clients_have_a_line_each(types) -> None:
    done = types("clients")

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].split("  ")[0] == "CLIENT ID"
    assert [[*line[:5], line[-1]] for line in lines(done)[1:] if line[0] != "lively"] == [
        ["broken", "badbad00", "apache-kafka-java", "4.3.1", "User:alice", "Unreadable"],
        ["orders-7", "b69cc35a", "apache-kafka-java", "4.3.1", "User:orders", "Pushing"],
        ["orders-7", "c0ffee00", "apache-kafka-java", "4.3.1", "User:orders", "Pushing"],
        ["prices", "d00dfeed", "librdkafka", "4.3.1", "User:alice", "NotAsked"],
    ]
    assert "\x1b" not in done.stdout


def test_what_to_do_is_said_of_each_when_asked(types) -> None:
    done = types("clients", "--why", "--client-id", "prices")

    assert done.stdout.rstrip().endswith(
        "NotAsked  Ask it: kwitness subscriptions add look-at-prices --client-id prices --metric org.apache.kafka. "
        "--interval 10s --for 10m"
    )


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        (("--client-id", "prices"), ["prices"]),
        (("--principal", "User:orders"), ["orders-7", "orders-7"]),
        (("--software", "librdkafka"), ["prices"]),
        (("--software", "librdkafka", "--principal", "User:orders"), []),
        (("--group", "payments"), []),
    ],
)
def test_all_that_is_asked_for_must_fit(types, options, ids) -> None:
    done = types("clients", "--output", "json", *options)

    document = json.loads(done.stdout)
    assert [one["client_id"] for one in document["items"]] == ids
    assert document["missing"] == []


def test_nobody_is_told_with_what_to_look_at(types) -> None:
    done = types("clients", "--client-id", "nobody")

    assert (done.returncode, done.stdout) == (0, "")
    assert "no client pushes metrics that fits: `kwitness clients --silent --why`" in done.stderr


def test_whole_instance_ids_are_shown_when_asked_for(types) -> None:
    assert INSTANCE in types("clients", "--wide").stdout
    assert INSTANCE not in types("clients").stdout


def test_a_partial_answer_names_the_replicas_and_shows_what_there_is(types, door) -> None:
    answers_with(door, item(), missing=(1, 2))
    done = types("clients")

    assert done.returncode == 0
    assert "orders-7" in done.stdout
    assert "replicas 1, 2 of the collector did not answer" in done.stderr


def test_a_replica_that_is_away_is_missing(types, api, namespace, tmp_path) -> None:
    peers = f"http://127.0.0.1:{free_port()}/{{ordinal}}"
    process = CollectorProcess(tmp_path / "half", config={"replicas": 2}, peers=peers).start()
    try:
        with ReviewedCollector(api, process, namespace) as half:
            done = types("clients", "--collector-address", half.address)
    finally:
        process.kill()

    assert done.returncode == 0
    assert "replica 1 of the collector did not answer" in done.stderr


def test_what_clients_call_themselves_does_no_harm(types, person, door) -> None:
    answers_with(door, item(client_id="[red]x[/red]\x1b[2J\nsecond", principal="User:" + "o" * 300))
    done = types("clients")
    shown = person.at_a_terminal("clients", "--collector-address", door.address, columns=200)

    assert "[red]x[/red]?[2J?second" in done.stdout
    assert len(done.stdout.splitlines()) == 2
    assert "\x1b[2J" not in shown
    assert "[red]x[/red]" in shown


def test_a_terminal_has_colour_unless_it_is_not_wanted(person, door) -> None:
    asked = {"interval_ms": 1_000, "metrics": ["*"], "subscriptions": ["all"]}
    answers_with(door, item(last_push_ms=1, effective=asked))
    line = ("clients", "--collector-address", door.address)

    assert "\x1b[33mLate" in person.at_a_terminal(*line, columns=200)
    assert "\x1b[33m" not in person.at_a_terminal(*line, "--no-color", columns=200)


def test_who_may_not_have_a_readers_token_is_told_which_permission_is_missing(newcomer, person, api, namespace, door):
    role = ("--verb=get,list", "--resource=kafkaclusters.kwitness.dev,telemetrycollectors.kwitness.dev")
    api.kubectl("create", "role", "sees", *role, "--namespace", namespace)
    who = f"--serviceaccount={namespace}:newcomer"
    api.kubectl("create", "rolebinding", "sees", "--role=sees", who, "--namespace", namespace)
    done = newcomer.types("clients", "--namespace", namespace, "--collector-address", door.address)

    assert done.returncode == 3
    assert f"may not create serviceaccounts/token {READERS} in namespace {namespace}" in done.stderr
    assert "kubectl create role" in done.stderr
    assert door.asked == []


def test_a_reader_that_the_collector_does_not_list_yet_is_told_in_its_words(types, api, namespace, door) -> None:
    def reads(name: str) -> None:
        patch = json.dumps({"spec": {"ingest": {"readers": [{"serviceAccount": name}]}}})
        api.kubectl("patch", "ktc", "main", "--namespace", namespace, "--type", "merge", "--patch", patch)

    reads("others")
    done = types("clients")
    reads(READERS)

    assert done.returncode == 1
    assert "others is not in spec.ingest.readers" in done.stderr


def test_a_collector_that_is_away_is_told_with_what_to_see(types) -> None:
    done = types("clients", "--collector-address", f"127.0.0.1:{free_port()}")

    assert done.returncode == 1
    assert "collector main does not answer" in done.stderr
    assert "Traceback" not in done.stderr


def test_who_does_not_push_is_listed_with_reason_and_what_to_do(types, pushing) -> None:
    pushing.heartbeat()
    done = types("clients", "--silent", "--why")

    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines()[1:] if "lively" not in line]
    assert [row.split()[0] for row in rows] == ["broken", "-"]
    assert " Malformed " in rows[0]
    assert rows[1].endswith("librdkafka 1.9.2 has no client telemetry: upgrade it, or observe it.")
    assert " TooOld " in rows[1]


def test_those_of_one_library_are_listed_as_json(types, pushing) -> None:
    pushing.heartbeat()
    (one,) = json.loads(types("clients", "--silent", "--software", "librdkafka", "-o", "json").stdout)["items"]

    assert (one["reason"], one["connections"], one["seen_by"]) == ("TooOld", 3, "plugin")


def test_our_own_are_asked_for_and_what_is_not_listed_is_told(types, door) -> None:
    document = {"items": [], "missing": [0], "left_out": 7}
    door.replaced["/v1/silent"] = (200, document)
    done = types("clients", "--silent", "--ours")

    assert done.returncode == 0
    assert "/v1/silent?ours=true" in door.asked
    assert "replica 0 of the collector did not answer" in done.stderr
    assert "7 more are not listed" in done.stderr


def test_a_collector_of_an_older_release_does_not_know_who_is_silent(types, door) -> None:
    door.replaced["/v1/silent"] = (404, {"error": {"reason": "NotFound", "message": "GET is not possible here"}})
    done = types("clients", "--silent")

    assert done.returncode == 1
    assert "it is of an older release than this command" in done.stderr


def test_a_group_is_nothing_that_a_silent_client_has_told(types) -> None:
    assert types("clients", "--silent", "--group", "g").returncode == 2


def test_values_have_units_and_several_instances_a_block_each(types) -> None:
    done = types("metrics", "orders-7", "--prefix", "producer.node")

    assert done.returncode == 0, done.stderr
    blocks = done.stdout.split("\n\n")
    assert [block.split()[1] for block in blocks] == [INSTANCE, SECOND]
    assert blocks[0].splitlines()[2].split()[:3] == [f'{LATENCY_AVG}{{node_id="1"}}', "0.0125", "s"]
    assert CREATION_TOTAL not in done.stdout


def test_values_as_json_are_those_of_the_collector(types) -> None:
    (one,) = json.loads(types("metrics", INSTANCE, "-o", "json").stdout)["items"]

    assert one["client"]["effective"]["subscriptions"] == ["slow-orders"]
    assert [point["value"] for point in one["metrics"]] == [1, 0.0125]


def test_the_beginning_of_an_instance_id_is_enough_where_it_is_one(types, door) -> None:
    assert types("metrics", "b69").returncode == 0
    answers_with(door, item(), item(client_id="prices", client_instance_id="b69fffff"))
    ambiguous = types("metrics", "b69")

    assert ambiguous.returncode == 1
    assert "b69 is the beginning of 2 clients: orders-7, prices" in ambiguous.stderr


def test_a_client_that_nothing_asks_is_told_with_the_line_to_type(types) -> None:
    line = "kwitness subscriptions add look-at-prices --client-id prices"

    assert f"Nothing asks it for metrics: {line}" in types("metrics", "prices").stdout


def test_a_prefix_that_nothing_begins_with_is_told(types) -> None:
    assert (
        "none of its 2 values is of a metric that begins with nothing."
        in types("metrics", "prices", "--prefix", "nothing.").stderr
    )


def test_a_client_that_cannot_be_read_is_told_with_the_reason(types) -> None:
    done = types("metrics", "broken")

    assert "What it pushes cannot be read: 2 bytes that are no OTLP MetricsData" in done.stdout


def test_a_silent_client_is_told_with_its_reason(types, door) -> None:
    old = {
        "client_id": "old-app",
        "client_software_name": "librdkafka",
        "client_software_version": "1.9.2",
        "seen_by": "observer",
        "reason": "TooOld",
        "detail": "upgrade librdkafka to 2.5.3",
    }
    door.replaced["/v1/silent"] = (200, {"items": [old], "missing": []})
    done = types("metrics", "old-app")
    page = types("why", "old-app", "-o", "json")

    because = "because this version of its library cannot push (TooOld). Upgrade librdkafka to 2.5.3."
    assert done.returncode == 1
    assert f"old-app does not push, {because}" in done.stderr
    (told,) = json.loads(page.stdout)["items"]
    assert told["silent"]["reason"] == "TooOld"
    assert told["sections"]["Who it is"][-1] == "It was seen by an observer."


def test_a_client_that_is_gone_says_where_its_past_is(types) -> None:
    for command in ("metrics", "tail", "why"):
        done = types(command, "yesterday")

        assert done.returncode == 1
        assert "no client yesterday is known" in done.stderr
        assert "AnalyticsJob of type ClientInventory" in done.stderr


def test_a_client_whose_replica_is_away_is_not_said_to_be_gone(types, door) -> None:
    answers_with(door, missing=(1,))
    done = types("metrics", "orders-7")

    assert done.returncode == 1
    assert "replica 1 of the collector did not answer" in done.stderr
    assert "ask again" in done.stderr


def test_an_instance_whose_owner_is_away_is_told_in_the_collectors_words(types, door) -> None:
    error = {"error": {"reason": "Partial", "message": "the replica that may know it is away"}}
    door.replaced[f"/v1/clients/{INSTANCE}/metrics"] = (503, error)
    one, both = types("metrics", INSTANCE), types("metrics", "orders-7")

    assert (one.returncode, both.returncode) == (1, 0)
    assert "the replica that may know it is away" in one.stderr
    assert "the replica that may know it is away" in both.stderr
    assert SECOND in both.stdout


@contextmanager
def running_command(person, door, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A process that goes on until it is interrupted."""
    process = subprocess.Popen(
        [*COMMAND, *arguments, "--collector-address", door.address],
        env=person.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def until(stream: IO[str] | None, text: str) -> list[str]:
    """Read lines up to the one that has the text."""
    assert stream is not None
    read: list[str] = []
    for line in stream:
        read.append(line)
        if text in line:
            return read
    raise AssertionError(f"{text} did not come: {read}")


def interrupted(process: subprocess.Popen[str]) -> str:
    """Press Ctrl-C, and return what stands on standard error."""
    process.send_signal(signal.SIGINT)
    _, told = communicate(process)
    assert process.returncode == 130
    assert "Traceback" not in told
    return told


def test_watched_values_show_what_changed(person, door, pushing) -> None:
    pushing.lively(10)
    with running_command(person, door, "metrics", "lively", "--watch") as process:
        first = until(process.stdout, LATENCY_AVG)
        pushing.lively(12.5)
        rest = until(process.stdout, "+0.0025")
        interrupted(process)

    assert "CHANGE" not in "".join(first)
    assert "CHANGE" in "".join(rest)
    assert rest[-1].split()[:4] == [f'{LATENCY_AVG}{{node_id="1"}}', "0.0125", "s", "+0.0025"]
    assert any(line.split()[1:3] == ["+1", "now"] or "+1" in line.split() for line in rest)


def test_a_collector_that_goes_away_while_watched_is_asked_again(person, door, pushing) -> None:
    pushing.lively(10)
    with running_command(person, door, "metrics", "lively", "--watch", "-o", "json") as process:
        until(process.stdout, "{")
        door.replaced["/v1/clients"] = (503, {"error": {"reason": "Unavailable", "message": "restarting"}})
        until(process.stderr, "restarting")
        del door.replaced["/v1/clients"]
        pushing.lively(11)
        seen = until(process.stdout, '"value": 0.011')
        interrupted(process)

    assert all(json.loads(line)["items"] for line in seen)


def test_watched_clients_are_shown_again_when_their_collector_is_back(person, door) -> None:
    with running_command(person, door, "clients", "--watch", "--client-id", "prices", "-o", "json") as process:
        until(process.stdout, "prices")
        door.replaced["/v1/clients"] = (503, {"error": {"reason": "Unavailable", "message": "restarting"}})
        until(process.stderr, "restarting")
        del door.replaced["/v1/clients"]
        until(process.stdout, "prices")
        interrupted(process)


def test_a_tail_has_a_line_for_each_value_of_each_push(person, door, pushing) -> None:
    pushing.lively(10)
    with running_command(person, door, "tail", "lively", "--prefix", "producer.node") as process:
        first = until(process.stdout, " 0.01 s")
        pushing.lively(12.5)
        rest = until(process.stdout, " 0.0125 s")
        interrupted(process)

    assert [line.split(" ", 1)[1] for line in (*first, *rest)] == [
        f'lively {LATENCY_AVG}{{node_id="1"}} 0.01 s\n',
        f'lively {LATENCY_AVG}{{node_id="1"}} 0.0125 s\n',
    ]


def test_a_tail_follows_the_next_instance_of_a_client(person, door, pushing) -> None:
    pushing.lively(10)
    with running_command(person, door, "tail", "lively", "-o", "json") as process:
        first = json.loads(until(process.stdout, "{")[0])
        # What the collector says once it has forgotten it, half a minute later.
        answers_with(door, item(client_id="lively", client_instance_id=SECOND, push_interval_ms=500))
        until(process.stdout, SECOND)
        told = interrupted(process)

    assert (first["client_id"], first["client_instance_id"]) == ("lively", LIVELY)
    assert f"lively {LIVELY} is gone: its last push came" in told


def test_a_reader_that_has_seen_enough_ends_a_tail_without_a_trace(person, door, pushing) -> None:
    pushing.lively(10)
    with running_command(person, door, "tail", "lively") as process:
        until(process.stdout, LATENCY_AVG)
        assert process.stdout is not None
        process.stdout.close()
        pushing.lively(11)

        assert wait_for_exit(process) == 141
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_tail_ends_by_itself_after_its_time(types, pushing) -> None:
    pushing.lively(10)
    done = types("tail", "lively", "--for", "600ms", "--prefix", "producer.node")

    assert done.returncode == 0
    assert lines(done)[0][1:4] == ["lively", f'{LATENCY_AVG}{{node_id="1"}}', "0.01"]


@pytest.mark.parametrize("duration", ["soon", "0s", "10"])
def test_a_time_that_is_none_is_refused(types, duration) -> None:
    done = types("tail", "orders-7", "--for", duration)

    assert done.returncode == 2
    assert duration in done.stderr


def test_why_tells_a_page_of_sentences(types) -> None:
    done = types("why", INSTANCE)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"orders-7 {INSTANCE}\n\nWho it is\n  Its client id is orders-7.\n")
    assert f"  It is asked for metrics that begin with {PRODUCER}, every 5m.\n" in done.stdout
    assert "  The broker's subscription slow-orders asks for it.\n" in done.stdout
    assert f'  How long its requests take: 0.0125 s ({LATENCY_AVG}{{node_id="1"}}).\n' in done.stdout
    assert done.stdout.endswith("What to do next\n  Watch its values: kwitness metrics orders-7 --watch\n")


def test_why_tells_whose_a_client_is_where_that_is_known(types, door) -> None:
    answers_with(door, item(k8s_namespace="shop", k8s_pod="orders-0", owner={"team": "Orders", "contact": "#orders"}))
    done = types("why", INSTANCE)

    assert "  Its pod is shop/orders-0.\n  It belongs to Orders (#orders).\n" in done.stdout


def test_why_tells_both_instances_of_a_client_and_of_one_that_cannot_be_read_the_reason(types) -> None:
    both, broken = types("why", "orders-7"), types("why", "broken")

    assert both.stdout.count("Who it is") == 2
    assert "  It is silent because what it pushes cannot be read (Malformed).\n" in broken.stdout


def test_why_goes_on_without_what_an_older_collector_does_not_know(types, door) -> None:
    door.replaced["/v1/silent"] = (404, {"error": {"reason": "NotFound", "message": "GET is not possible here"}})
    door.replaced[f"/v1/clients/{INSTANCE}/metrics"] = door.replaced["/v1/silent"]
    done = types("why", INSTANCE)

    assert done.returncode == 0
    assert "older release than this command" in done.stderr
    assert "What it says of itself" not in done.stdout


def test_every_answer_can_be_yaml(types) -> None:
    for line in (("clients",), ("clients", "--silent"), ("metrics", "orders-7"), ("why", "orders-7")):
        assert "items" in yaml.safe_load(types(*line, "-o", "yaml").stdout)


GUIDE = Path(__file__).resolve().parents[2] / "docs/guides/looking-at-clients.md"
LINES = [
    shlex.split(line.partition(" | ")[0])[1:]
    for block in re.findall(r"^```sh\n(.*?)^```", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    for line in block.splitlines()
]


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_every_line_of_the_guide_can_be_typed(types, api, namespace, line, capsys) -> None:
    if line[0] == "subscriptions" or line[0] == "tail" or {"--watch", "--for"} & set(line):
        # They go on, or belong to another page: what they are told to do is understood.
        assert main([*line, "--help"]) == 0
        assert capsys.readouterr().err == ""
        return
    if line[:2] == ["jobs", "describe"]:
        run = {"streaming": {"trigger": "30s"}}
        job = {"type": "UnusedTopics", "clusterRef": {"name": "orders"}, "run": run, "table": "unused"}
        kind = {"apiVersion": "kwitness.dev/v1alpha1", "kind": "AnalyticsJob"}
        apply(api, {**kind, "metadata": {"name": line[2], "namespace": namespace}, "spec": job})
    done = types(*line)

    assert done.returncode == (1 if line[0] == "doctor" else 0), done.stderr
