"""Completion of names: from a running collector and a real API server, in time, and silent after errors."""

from __future__ import annotations

import socket
import string
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kwitness.cli import completed_names
from kwitness.e2e.api_server import ApiServer
from kwitness.sandbox.waiting import run_to_end

from tests.cli.command import Person
from tests.cli.conftest import account, cluster
from tests.cli.reviewed_collector import READERS, ReviewedCollector
from tests.collector.collector_process import CollectorProcess

pytestmark = pytest.mark.slow


def complete(person: Person, *words: str) -> tuple[list[str], str]:
    """Return the candidates for the last word, and all that is written besides."""
    variables = {
        "_KWITNESS_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["kwitness", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = run_to_end([sys.executable, "-m", "kwitness.cli"], env={**person.environment, **variables})
    return done.stdout.split(), done.stderr


@pytest.fixture
def door(api: ApiServer, namespace: str, tmp_path: Path) -> Iterator[ReviewedCollector]:
    collector = {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "TelemetryCollector",
        "metadata": {"name": "main", "namespace": namespace},
        "spec": {
            "clusterRef": {"name": "orders"},
            "ingest": {"tls": {"mode": "Disabled"}, "readers": [{"serviceAccount": READERS}]},
        },
    }
    api.objects.apply(cluster("orders", namespace), collector, account(READERS, namespace))
    process = CollectorProcess(tmp_path / "collector").start()
    try:
        with ReviewedCollector(api, process, namespace) as opened:
            yield opened
    finally:
        process.kill()


def test_pages_of_the_console_are_completed(person: Person) -> None:
    assert complete(person, "console", "ma") == (["map"], "")
    assert complete(person, "console", "cl") == (["clients/"], "")
    assert complete(person, "console", "map/") == ([], "")


def test_names_are_those_of_the_collector_that_a_shell_reads_as_one_word(
    door: ReviewedCollector, person: Person
) -> None:
    harmful = ["$(reboot)", "a b", "`id`", "a;b", "--all", "a'b", 'a"b', "a\\b", "a*", "a\n", "é", "~root", "#x", "!1"]
    good = ["orders-1", "a.b_c/d:e@f", "x=1", "%2F"]
    harmful += [f"x{sign}" for sign in string.punctuation if sign not in "_./:@%,=+-"]
    items = [{"topic": name} for name in (*good, *harmful, "orders-1")]
    door.replaced["/v1/traffic"] = (200, {"items": items})
    address = ("--collector-address", door.address)

    names, errors = complete(person, *address, "topics", "")
    filters, _ = complete(person, "topics", *address, "--topic", "or")
    pages, _ = complete(person, "console", *address, "topics/or")
    assert pages
    assert pages == [f"topics/{name}" for name in names if name.startswith("or")]

    assert (names, errors) == (good, "")
    assert filters[0] == "orders-1"
    assert "topic=or%2A" in door.asked[-1]
    assert "fields=topic" in door.asked[-1]


def test_names_of_resources_are_those_of_the_chosen_namespace(
    api: ApiServer, person: Person, namespace: str, another_namespace: str
) -> None:
    analysis = {"type": "UnusedTopics", "run": {"streaming": {"trigger": "30s"}}, "table": "unused"}
    for name, place in (("unused", namespace), ("used", namespace), ("elsewhere", another_namespace)):
        job = {
            "apiVersion": "kwitness.dev/v1beta1",
            "kind": "AnalyticsJob",
            "metadata": {"name": name, "namespace": place},
            "spec": {"clusterRef": {"name": "orders"}, "analyses": [{**analysis, "table": name}]},
        }
        api.objects.apply(job)

    assert complete(person, "jobs", "describe", "u") == (["unused", "used"], "")
    assert complete(person, "jobs", "describe", "-n", another_namespace, "") == (["elsewhere"], "")
    assert complete(person, "tables", "show", "--job", "us") == (["used"], "")


def test_a_token_without_rights_completes_no_name_and_writes_no_error(newcomer: Person, namespace: str) -> None:
    assert complete(newcomer, "-n", namespace, "jobs", "describe", "") == ([], "")
    assert complete(newcomer, "-n", namespace, "topics", "") == ([], "")


def test_a_server_that_never_answers_ends_the_completion_in_time(person: Person, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        text = person.kubeconfig.read_text()
        server = text.partition('"server": "')[2].partition('"')[0]
        away = tmp_path / "away"
        away.write_text(text.replace(server, f"http://127.0.0.1:{silent.getsockname()[1]}"))
        began = time.monotonic()
        answer = complete(Person(away, tmp_path), "jobs", "describe", "")

    assert answer == ([], "")
    assert completed_names.LONGEST_S <= time.monotonic() - began < completed_names.LONGEST_S + 20


def test_without_a_cluster_nothing_is_completed(tmp_path: Path) -> None:
    nowhere = Person(tmp_path / "none", tmp_path)

    assert complete(nowhere, "jobs", "describe", "") == ([], "")
    assert complete(nowhere, "why", "") == ([], "")


def test_no_more_candidates_than_a_person_reads(door: ReviewedCollector, person: Person) -> None:
    items = [{"group_id": f"g{number}"} for number in range(500)]
    door.replaced["/v1/groups"] = (200, {"items": items})

    names, _ = complete(person, "--collector-address", door.address, "groups", "g")

    assert len(names) == completed_names.MOST
