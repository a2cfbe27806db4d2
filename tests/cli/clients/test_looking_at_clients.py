"""`clients`, typed into pipes and at a terminal; and every line of the guide."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml

from kwitness.cli.__main__ import main
from kwitness.sandbox.ports import free_port

from tests.cli.clients.conftest import INSTANCE, answers_with, item, lines
from tests.cli.conftest import role
from tests.cli.reviewed_collector import READERS, ReviewedCollector
from tests.collector.collector_process import CollectorProcess

pytestmark = pytest.mark.slow


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
    assert INSTANCE in types("clients", "-o", "wide").stdout
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


def test_a_client_id_of_300_characters_leaves_the_other_columns_at_80(person, door) -> None:
    answers_with(door, item(client_id="orders" * 50, client_software_version="2.16.1-rdkafka-2.16.0"))

    titles, row = person.at_a_terminal("clients", "--collector-address", door.address, "--no-color").splitlines()[:2]

    assert max(len(titles), len(row)) <= 80
    assert [title for title in ("CLIENT ID", "INSTANCE", "SOFTWARE", "LAST PUSH", "STATE") if title not in titles] == []
    assert re.match(r"orders\w*…\w*orders  \S{8}  apache-\S*…\S*\.16\.0  ", row)


def test_a_terminal_has_colour_unless_it_is_not_wanted(person, door) -> None:
    asked = {"interval_ms": 1_000, "metrics": ["*"], "subscriptions": ["all"]}
    answers_with(door, item(last_push_ms=1, effective=asked))
    line = ("clients", "--collector-address", door.address)

    assert "\x1b[33mLate" in person.at_a_terminal(*line, columns=200)
    assert "\x1b[33m" not in person.at_a_terminal(*line, "--no-color", columns=200)


def test_who_may_not_have_a_readers_token_is_told_which_permission_is_missing(newcomer, person, api, namespace, door):
    resources = ["kafkaclusters", "telemetrycollectors"]
    rule = {"apiGroups": ["kwitness.dev"], "resources": resources, "verbs": ["get", "list"]}
    api.objects.apply(*role("sees", namespace, rule, f"{namespace}:newcomer"))
    done = newcomer.types("clients", "--namespace", namespace, "--collector-address", door.address)

    assert done.returncode == 3
    assert f"may not create serviceaccounts/token {READERS} in namespace {namespace}" in done.stderr
    assert "kubectl create role" in done.stderr
    assert door.asked == []


def test_a_reader_that_the_collector_does_not_list_yet_is_told_in_its_words(types, api, namespace, door) -> None:
    def reads(name: str) -> None:
        api.objects.patch("ktc", "main", namespace, {"spec": {"ingest": {"readers": [{"serviceAccount": name}]}}})

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
    assert rows[1].endswith("librdkafka 1.9.2 has no client telemetry: upgrade it to librdkafka 2.5.3, or observe it.")
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


def test_every_answer_can_be_yaml(types) -> None:
    for line in (("clients",), ("clients", "--silent"), ("metrics", "orders-7"), ("why", "orders-7")):
        assert "items" in yaml.safe_load(types(*line, "-o", "yaml").stdout)


GUIDE = Path(__file__).resolve().parents[3] / "docs/guides/looking-at-clients.md"
LINES = [
    shlex.split(line.partition(" | ")[0])[1:]
    for block in re.findall(r"^```sh\n(.*?)^```", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    for line in block.splitlines()
    if line.startswith("kwitness ")
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
        analysis = {"type": "UnusedTopics", "run": run, "table": "unused"}
        job = {"clusterRef": {"name": "orders"}, "analyses": [analysis]}
        kind = {"apiVersion": "kwitness.dev/v1beta1", "kind": "AnalyticsJob"}
        api.objects.apply({**kind, "metadata": {"name": line[2], "namespace": namespace}, "spec": job})
    done = types(*line)

    assert done.returncode == (1 if line[0] == "doctor" else 0), done.stderr
