"""What is written where: terminals wide and narrow, with and without colour, pipes that close, names of anybody."""

from __future__ import annotations

import json
import os
import signal
import subprocess

import pytest

from kwitness.sandbox.waiting import communicate

from tests.cli.command import COMMAND
from tests.cli.conftest import cluster, ready
from tests.eventually import eventually

pytestmark = pytest.mark.slow
LIST = ("subscriptions", "list")
ESCAPE = "\x1b"


@pytest.fixture
def listed(api, namespace, person, with_status):
    """One of ours that is applied, and one of somebody who would write upon the terminal."""
    api.objects.apply(cluster("orders", namespace))
    person.done(
        "subscriptions", "add", "slow-orders", "--metric", "org.apache.kafka.producer.", "--client-id", "a" * 40
    )
    with_status("ClientMetricsSubscription", "slow-orders", conditions=ready("True", "Applied"))
    match = [{"selector": "clientId", "pattern": "注文"}]
    evil = {"name": f"evil{ESCAPE}[2J\u202e", "owner": "Foreign", "interval": "1m", "metrics": ["*"], "match": match}
    with_status("KafkaCluster", "orders", subscriptions={"foreign": 1, "first": [evil]})


def test_a_terminal_gets_colour_and_a_pipe_none(person, listed):
    shown = person.at_a_terminal(*LIST, columns=200)
    piped = person.runs(*LIST, TERM="xterm-256color", FORCE_COLOR="1")

    assert f"{ESCAPE}[32mTrue" in shown
    assert ESCAPE not in piped.stdout
    assert max(len(line) for line in piped.stdout.splitlines()) > 80
    assert len(piped.stdout.splitlines()) == 3


@pytest.mark.parametrize(
    ("options", "environment"), [(("--no-color",), {}), ((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"})]
)
def test_who_wants_no_colour_gets_none(person, listed, options, environment):
    shown = person.at_a_terminal(*LIST, *options, columns=200, **environment)

    assert ESCAPE not in shown
    assert "slow-orders" in shown


def test_a_narrow_terminal_gets_less_and_is_told_what_is_missing(person, listed):
    shown = person.at_a_terminal(*LIST, "--no-color", columns=60)
    table = shown.partition("kwitness: ")[0]

    assert max(len(line) for line in table.splitlines()) <= 60
    assert "EXPIRES" not in table.splitlines()[0]
    assert "this terminal is too narrow for CLUSTER: make it wider" in shown
    assert "cli…aaa" in table


def test_names_of_others_reach_neither_terminal_nor_files_as_they_are(person, listed):
    shown = person.at_a_terminal(*LIST, "--no-color", columns=200)
    as_json = person.types(*LIST, "-o", "json").stdout

    assert ESCAPE not in shown
    assert "\u202e" not in shown
    assert "evil?[2J?" in shown
    assert as_json.isascii()
    assert json.loads(as_json)["items"][-1]["name"] == f"evil{ESCAPE}[2J\u202e"
    assert person.types(*LIST, "-o", "yaml").stdout.isascii()


def test_an_encoding_that_lacks_characters_gets_the_others(person, listed):
    done = person.runs(*LIST, PYTHONIOENCODING="latin-1")

    assert done.returncode == 0, done.stderr
    assert "clientId=??" in done.stdout


@pytest.mark.parametrize("form", ["table", "json"])
def test_a_pipe_that_closes_ends_it_without_a_word(person, listed, form):
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [*COMMAND, *LIST, "-o", form], env=person.environment, stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    _, errors = communicate(process)

    assert process.returncode == 141
    assert errors == ""


def test_help_into_a_pipe_that_closes_too(person):
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [*COMMAND, "--help"], env=person.environment, stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    _, errors = communicate(process)

    assert process.returncode == 141
    assert errors == ""


def test_an_interruption_ends_it_as_it_ends_other_programs(api, namespace, person):
    api.objects.apply(cluster("orders", namespace))
    process = subprocess.Popen(
        [*COMMAND, "subscriptions", "add", "one", "--metric", "*", "--wait", "--timeout", "60"],
        env=person.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    eventually(lambda: api.objects.find("ClientMetricsSubscription", "one", namespace))
    process.send_signal(signal.SIGINT)
    out, errors = communicate(process)

    assert process.returncode == 130
    assert (out, errors) == ("", "")
