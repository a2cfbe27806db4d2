"""`clients`, `metrics`, `tail` and `why`: typed into pipes and at a terminal, answered by a real collector."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, NamedTuple

import pytest
import yaml

from kwitness.cli.__main__ import main
from kwitness.e2e.ports import free_port

from tests.cli.command import COMMAND
from tests.cli.conftest import account, apply, cluster
from tests.cli.reviewed_collector import READERS, ReviewedCollector
from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import CREATION_TOTAL, LATENCY_AVG, batch, java_push, push

pytestmark = pytest.mark.slow

INSTANCE = "b69cc35a-7a54-4790-aa69-cc2bd4ee4538"
SECOND = "c0ffee00-7a54-4790-aa69-cc2bd4ee4538"
ALL = {"id": "all", "metrics": ["org.apache.kafka."], "interval_ms": 5000, "match": []}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CollectorProcess]:
    """One collector for the whole file: two instances of `orders-7`, one of `prices`."""
    process = CollectorProcess(tmp_path_factory.mktemp("collector"))
    process.start()
    process.push(
        batch(
            [
                push(1, java_push(latency_ms=12.5), client=INSTANCE, client_id="orders-7", principal="User:orders"),
                push(2, java_push(latency_ms=3), client=SECOND, client_id="orders-7", principal="User:orders"),
                push(3, java_push(), client="d00dfeed-1", client_id="prices", client_software_name="librdkafka"),
            ]
        )
    )
    yield process
    process.kill()


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
        "effective": {"interval_ms": 5_000, "metrics": ["org.apache.kafka."], "subscriptions": ["all"]},
    }
    return {**known, **changes}


def answers_with(door: ReviewedCollector, *items: dict[str, Any], missing: tuple[int, ...] = ()) -> None:
    door.replaced["/v1/clients"] = (200, {"items": list(items), "missing": list(missing)})


def silent(door: ReviewedCollector, *items: dict[str, Any], missing: tuple[int, ...] = ()) -> None:
    """In the place of the collector's own `/v1/silent`."""
    door.replaced["/v1/silent"] = (200, {"items": list(items), "missing": list(missing)})


def values(door: ReviewedCollector, latency_ms: float, at_ms: int | None = None, **changes: Any) -> None:
    """In the place of the collector's own answer about one instance."""
    answer = {
        "client": item(**changes),
        "metrics": [
            {
                "name": LATENCY_AVG,
                "prometheus_name": "kafka_client_producer_node_request_latency_avg_seconds",
                "type": "gauge",
                "unit": "ms",
                "attributes": {"node_id": "1"},
                "value": latency_ms,
                "at_ms": int(time.time() * 1000) if at_ms is None else at_ms,
            },
            {
                "name": CREATION_TOTAL,
                "prometheus_name": "kafka_client_producer_connection_creation_total",
                "type": "counter",
                "value": 7,
            },
        ],
        "missing": [],
    }
    door.replaced[f"/v1/clients/{INSTANCE}/metrics"] = (200, answer)


def lines(done: Done) -> list[list[str]]:
    return [line.split() for line in done.stdout.splitlines()]


def test_clients_have_a_line_each(types) -> None:
    done = types("clients")

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].split("  ")[0] == "CLIENT ID"
    assert [line[:5] for line in lines(done)[1:]] == [
        ["orders-7", "b69cc35a", "apache-kafka-java", "4.3.1", "User:orders"],
        ["orders-7", "c0ffee00", "apache-kafka-java", "4.3.1", "User:orders"],
        ["prices", "d00dfeed", "librdkafka", "4.3.1", "User:alice"],
    ]
    assert "\x1b" not in done.stdout


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
    answers_with(door, item(last_push_ms=1))
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


def test_who_does_not_push_is_listed_with_reason_and_what_to_do(types, door) -> None:
    silent(
        door,
        {"client_id": "old-app", "client_software_name": "librdkafka", "reason": "TooOld", "detail": "Upgrade it."},
        {"client_id": "kwitness-collector", "ours": True, "reason": "NotAsking"},
        missing=(0,),
    )
    done = types("clients", "--silent", "--why")
    ours = types("clients", "--silent", "--ours", "--output", "json")

    assert done.returncode == 0
    assert "replica 0 of the collector did not answer" in done.stderr
    assert [line[0] for line in lines(done)[1:]] == ["old-app"]
    assert done.stdout.rstrip().endswith("TooOld  Upgrade it.")
    assert [one["client_id"] for one in json.loads(ours.stdout)["items"]] == ["kwitness-collector", "old-app"]
    assert "/v1/silent?ours=true" in door.asked


def test_a_collector_of_an_older_release_does_not_know_who_is_silent(types, door) -> None:
    door.replaced["/v1/silent"] = (404, {"error": {"reason": "NotFound", "message": "GET is not possible here"}})
    done = types("clients", "--silent")

    assert done.returncode == 1
    assert "it is of an older release than this command" in done.stderr


def test_a_group_is_nothing_that_a_silent_client_has_told(types) -> None:
    assert types("clients", "--silent", "--group", "g").returncode == 2


def test_values_have_units_and_several_instances_a_block_each(types, door) -> None:
    values(door, 12.5)
    second = {**door.replaced[f"/v1/clients/{INSTANCE}/metrics"][1], "client": item(client_instance_id=SECOND)}
    door.replaced[f"/v1/clients/{SECOND}/metrics"] = (200, second)
    done = types("metrics", "orders-7", "--prefix", "producer.node")

    assert done.returncode == 0, done.stderr
    blocks = done.stdout.split("\n\n")
    assert [block.split()[1] for block in blocks] == [INSTANCE, SECOND]
    assert f'{LATENCY_AVG}{{node_id="1"}}' in blocks[0]
    assert blocks[0].splitlines()[2].split()[1:3] == ["12.5", "ms"]
    assert CREATION_TOTAL not in done.stdout


def test_values_as_json_are_those_of_the_collector(types, door) -> None:
    answers_with(door, item())
    values(door, 12.5)
    done = types("metrics", INSTANCE, "-o", "json")

    (one,) = json.loads(done.stdout)["items"]
    assert one["client"]["client_id"] == "orders-7"
    assert [point["value"] for point in one["metrics"]] == [12.5, 7]


def test_the_beginning_of_an_instance_id_is_enough_where_it_is_one(types, door) -> None:
    answers_with(door, item(), item(client_id="prices", client_instance_id=SECOND))
    values(door, 1)

    assert types("metrics", "b69").returncode == 0
    door.replaced["/v1/clients"][1]["items"][1]["client_instance_id"] = "b69fffff"
    ambiguous = types("metrics", "b69")
    assert ambiguous.returncode == 1
    assert "b69 is the beginning of 2 clients: orders-7, prices" in ambiguous.stderr


def test_a_client_that_nothing_asks_is_told_with_the_line_to_type(types, door) -> None:
    answers_with(door, item())
    values(door, 1, effective=None)
    done = types("metrics", "orders-7")

    assert (
        "Nothing asks it for metrics: kwitness subscriptions add look-at-orders-7 --client-id orders-7" in done.stdout
    )


def test_a_silent_client_is_told_with_its_reason(types, door) -> None:
    silent(door, {"client_id": "old-app", "reason": "TooOld", "detail": "upgrade librdkafka to 2.5.3"})
    done = types("metrics", "old-app")

    assert done.returncode == 1
    assert (
        "old-app does not push, because this version of its library cannot push (TooOld). Upgrade librd" in done.stderr
    )


def test_a_client_that_is_gone_says_where_its_past_is(types, door) -> None:
    silent(door)
    done = types("metrics", "yesterday")

    assert done.returncode == 1
    assert "no client yesterday is known" in done.stderr
    assert "AnalyticsJob of type ClientInventory" in done.stderr


def test_a_client_whose_replica_is_away_is_not_said_to_be_gone(types, door) -> None:
    silent(door)
    answers_with(door, missing=(1,))
    done = types("metrics", "orders-7")

    assert done.returncode == 1
    assert "replica 1 of the collector did not answer" in done.stderr
    assert "ask again" in done.stderr


def test_an_instance_whose_owner_is_away_is_told_in_the_collectors_words(types, door) -> None:
    answers_with(door, item())
    error = {"error": {"reason": "Partial", "message": "the replica that may know it is away"}}
    door.replaced[f"/v1/clients/{INSTANCE}/metrics"] = (503, error)
    done = types("metrics", "orders-7")

    assert done.returncode == 1
    assert "the replica that may know it is away" in done.stderr


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
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in told
    return told


OFTEN = {"push_interval_ms": 500, "effective": None}
"""Of a client that pushes twice a second, as one looks at it."""


def test_watched_values_show_what_changed(person, door) -> None:
    answers_with(door, item(**OFTEN))
    values(door, 10, **OFTEN)
    with running_command(person, door, "metrics", "orders-7", "--watch") as process:
        first = until(process.stdout, LATENCY_AVG)
        values(door, 12.5, **OFTEN)
        rest = until(process.stdout, "+2.5")
        interrupted(process)

    assert "CHANGE" not in "".join(first)
    assert "CHANGE" in "".join(rest)
    assert rest[-1].split()[:4] == [f'{LATENCY_AVG}{{node_id="1"}}', "12.5", "ms", "+2.5"]


def test_a_collector_that_goes_away_while_watched_is_asked_again(person, door) -> None:
    answers_with(door, item(**OFTEN))
    values(door, 10, **OFTEN)
    there = door.replaced["/v1/clients"]
    with running_command(person, door, "metrics", "orders-7", "--watch", "-o", "json") as process:
        until(process.stdout, "{")
        door.replaced["/v1/clients"] = (503, {"error": {"reason": "Unavailable", "message": "restarting"}})
        until(process.stderr, "restarting")
        door.replaced["/v1/clients"] = there
        values(door, 11, **OFTEN)
        seen = until(process.stdout, '"value": 11')
        interrupted(process)

    assert all(json.loads(line)["items"] for line in seen)


def test_a_tail_has_a_line_for_each_value_of_each_push(person, door) -> None:
    answers_with(door, item(**OFTEN))
    values(door, 10, at_ms=1_700_000_000_000, **OFTEN)
    with running_command(person, door, "tail", "orders-7") as process:
        first = until(process.stdout, "10 ms")
        values(door, 12.5, at_ms=1_700_000_000_500, **OFTEN)
        rest = until(process.stdout, "12.5 ms")
        interrupted(process)

    assert first == [f'22:13:20.000 orders-7 {LATENCY_AVG}{{node_id="1"}} 10 ms\n']
    assert rest == [f'22:13:20.500 orders-7 {LATENCY_AVG}{{node_id="1"}} 12.5 ms\n']


def test_a_tail_follows_the_next_instance_of_a_client(person, door) -> None:
    answers_with(door, item(**OFTEN))
    values(door, 10, **OFTEN)
    with running_command(person, door, "tail", "orders-7", "-o", "json") as process:
        first = json.loads(until(process.stdout, "{")[0])
        known = door.replaced[f"/v1/clients/{INSTANCE}/metrics"][1]
        restarted = item(client_instance_id=SECOND, **OFTEN)
        door.replaced[f"/v1/clients/{SECOND}/metrics"] = (200, {**known, "client": restarted})
        answers_with(door, restarted)
        until(process.stdout, SECOND)
        told = interrupted(process)

    assert (first["client_instance_id"], first["name"], first["value"]) == (INSTANCE, LATENCY_AVG, 10)
    assert f"orders-7 {INSTANCE} is gone: its last push came" in told


def test_a_reader_that_has_seen_enough_ends_a_tail_without_a_trace(person, door) -> None:
    answers_with(door, item(**OFTEN))
    values(door, 10, at_ms=1, **OFTEN)
    with running_command(person, door, "tail", "orders-7") as process:
        until(process.stdout, "10 ms")
        assert process.stdout is not None
        process.stdout.close()
        values(door, 12, at_ms=2, **OFTEN)

        assert process.wait(60) == 141
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_tail_ends_by_itself_after_its_time(types, door) -> None:
    answers_with(door, item(**OFTEN))
    values(door, 10, **OFTEN)
    done = types("tail", "orders-7", "--for", "600ms", "--prefix", "producer.")

    assert done.returncode == 0
    assert lines(done)[0][1:4] == ["orders-7", f'{LATENCY_AVG}{{node_id="1"}}', "10"]


@pytest.mark.parametrize("duration", ["soon", "0s", "10"])
def test_a_time_that_is_none_is_refused(types, duration) -> None:
    done = types("tail", "orders-7", "--for", duration)

    assert done.returncode == 2
    assert duration in done.stderr


def test_why_tells_a_page_of_sentences(types, door) -> None:
    silent(door)
    answers_with(door, item(k8s_namespace="shop", k8s_pod="orders-0", owner={"team": "Orders", "contact": "#orders"}))
    values(door, 12.5)
    done = types("why", "orders-7")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"orders-7 {INSTANCE}\n\nWho it is\n  Its client id is orders-7.\n")
    assert "  It belongs to Orders (#orders).\n" in done.stdout
    assert "  It is asked for metrics that begin with org.apache.kafka., every 5s.\n" in done.stdout
    assert f'  How long its requests take: 12.5 ms ({LATENCY_AVG}{{node_id="1"}}).\n' in done.stdout
    assert done.stdout.endswith("What to do next\n  Watch its values: kwitness metrics orders-7 --watch\n")


def test_why_tells_of_a_client_that_never_pushed(types, door) -> None:
    silent(door, {"client_id": "old-app", "reason": "NotAsking", "seen_by": "plugin"})
    done = types("why", "old-app", "-o", "json")

    (page,) = json.loads(done.stdout)["items"]
    assert page["silent"]["reason"] == "NotAsking"
    assert page["sections"]["Who it is"][-1] == "It was seen by the brokers' plugin."


def test_why_of_nobody_fails_with_what_to_do(types, door) -> None:
    silent(door)
    done = types("why", "nobody")

    assert done.returncode == 1
    assert "no client nobody is known" in done.stderr


def test_why_goes_on_without_what_an_older_collector_does_not_know(types, door) -> None:
    door.replaced["/v1/silent"] = (404, {"error": {"reason": "NotFound", "message": "GET is not possible here"}})
    door.replaced[f"/v1/clients/{INSTANCE}/metrics"] = door.replaced["/v1/silent"]
    answers_with(door, item())
    done = types("why", "orders-7")

    assert done.returncode == 0
    assert "older release than this command" in done.stderr
    assert "What it says of itself" not in done.stdout


def test_every_answer_can_be_yaml(types, door) -> None:
    answers_with(door, item())
    silent(door)

    for line in (("clients",), ("clients", "--silent"), ("metrics", "orders-7"), ("why", "orders-7")):
        values(door, 1)
        assert "items" in yaml.safe_load(types(*line, "-o", "yaml").stdout)
