"""`--output` of every subcommand that asks a collector, and names that clients chose to do harm."""

from __future__ import annotations

import csv
import io
import json

import pytest
import yaml

from kwitness.contracts.envelopes import ClientItem

from tests.cli.clients.answers import answers_connections, answers_groups, answers_traffic, connection, group, traffic
from tests.cli.clients.conftest import INSTANCE, SECOND, answers_with, item

pytestmark = pytest.mark.slow

PRINTABLE = "".join(filter(str.isprintable, map(chr, range(0x3100))))
HOSTILE = {
    "printable": PRINTABLE,
    "right to left": "\u202e\u2066\u05e9\u05dc\u05d5\u05dd",
    "escape": "\x1b[2J\x9b1m\x07",
    "lines": "a\nb\r\nc\td",
    "long": "orders" * 5_461,
    "formula": '=HYPERLINK("http://x";1)',
    "quotes": "a\"b,c;d'e",
}
LINES = [("clients",), ("connections",), ("topics",), ("topics", "orders"), ("groups",), ("groups", "payments")]


@pytest.fixture(params=HOSTILE.values(), ids=HOSTILE)
def name(request, door) -> str:
    chosen: str = request.param
    answers_with(door, item(client_id=chosen, principal=chosen, group_id="payments"))
    answers_connections(door, connection(chosen[:256], principal=chosen[:256]))
    answers_traffic(door, traffic("Produce", chosen, principal=chosen))
    answers_groups(door, group(chosen, "orders", 7, 9))
    return chosen


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.usefixtures("name")
@pytest.mark.parametrize("form", ["table", "wide", "csv", "name"])
def test_names_do_no_harm_to_terminals_and_lines(types, form) -> None:
    for line in LINES:
        done = types(*line, "-o", form)

        assert done.returncode == 0, done.stderr
        shown = done.stdout.replace("\r\n", "\n").removesuffix("\n").split("\n")
        assert all(map(str.isprintable, shown)), line
        assert len(shown) == (
            1 if form == "name" else 5 if line == ("groups", "payments") and form in {"table", "wide"} else 2
        )


def test_the_name_is_whole_in_json_and_yaml_and_escaped_in_csv(types, name) -> None:
    as_json, as_yaml, as_csv = (types("clients", "-o", form).stdout for form in ("json", "yaml", "csv"))

    assert json.loads(as_json)["items"][0]["client_id"] == name
    assert yaml.safe_load(as_yaml)["items"][0]["client_id"] == name
    titles, cells = rows(as_csv)
    cell = dict(zip(titles, cells, strict=True))["client_id"]
    assert cell[0] not in "=+-@\t\r"
    if name.isprintable():
        assert cell.removeprefix("'") == name


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (("connections",), "client_id"),
        (("topics",), "topic"),
        (("topics", "orders"), "client_id"),
        (("groups",), "group_id"),
        (("groups", "payments"), "topic"),
    ],
)
def test_names_are_whole_in_documents_of_every_noun(types, door, name, line, field) -> None:
    chosen = name[:249]
    answers_connections(door, connection(chosen))
    answers_traffic(door, traffic("Produce", chosen, "orders" if "orders" in line else chosen))
    answers_groups(door, group(chosen, chosen, 7, 9))

    for form, read in (("json", json.loads), ("yaml", yaml.safe_load)):
        done = types(*line, "-o", form)
        assert done.returncode == 0, done.stderr
        assert read(done.stdout)["items"][0][field] == chosen
        assert all(map(str.isprintable, done.stdout.splitlines())), form


@pytest.mark.parametrize(
    "line",
    [
        ("clients", "--"),
        ("connections", "--client-id"),
        ("topics", "--"),
        ("groups", "--"),
        ("why", "--"),
        ("metrics", "--"),
    ],
    ids=" ".join,
)
def test_a_name_as_an_argument_does_no_harm(types, door, name, line) -> None:
    answers_with(door, item(client_id=name[:1_000]))
    done = types(*line, name[:1_000])

    assert done.returncode in {0, 1}
    assert all(map(str.isprintable, [*done.stdout.splitlines(), *done.stderr.splitlines()]))
    assert "use the command of the release" not in done.stderr


def test_a_name_that_is_longer_than_kafka_allows_is_refused_by_the_command(types) -> None:
    done = types("clients", "x" * 110_000)

    assert done.returncode == 1
    assert "a collector reads 102400 at most: give the beginning of a name and *" in done.stderr


def test_csv_has_the_fields_of_the_noun_and_numbers_as_they_are(types, door) -> None:
    answers_traffic(door, traffic("Fetch", "mail", record_bytes_per_s=1_250_000.5, errors={"6": 2}, fetch_lag=-0))
    titles, cells = rows(types("topics", "orders", "-o", "csv").stdout)
    row = dict(zip(titles, cells, strict=True))

    assert titles[:4] == ["cluster_id", "api", "topic", "principal"]
    assert {"owner.team", "owner.contact", "topic_owner.team"} <= set(titles)
    assert (row["record_bytes_per_s"], row["errors"], row["fetch_lag"]) == ("1250000.5", '{"6": 2}', "0")
    assert row["owner.team"] == ""


def test_csv_without_a_row_has_its_header(types, door) -> None:
    answers_with(door)
    done = types("clients", "-o", "csv")

    titles = done.stdout.removesuffix("\r\n").split(",")
    assert done.stdout.endswith("\r\n")
    assert list(dict.fromkeys(title.partition(".")[0] for title in titles)) == list(ClientItem.model_fields)


def test_names_are_those_that_other_subcommands_accept(types, door) -> None:
    answers_traffic(door, traffic("Produce", "shop"), traffic("Produce", "shop", "returns"))
    answers_groups(door, group("payments", "orders", 1, 1), group("payments", "returns", 1, 1))
    answers_connections(door, connection("mail"), connection("mail"), connection(None))
    silent = types("connections", "-o", "name")

    assert sorted(types("clients", "--client-id", "orders-7", "-o", "name").stdout.split()) == [INSTANCE, SECOND]
    assert types("topics", "-o", "name").stdout == "orders\nreturns\n"
    assert types("topics", "orders", "-o", "name").stdout == "shop\n"
    assert types("groups", "-o", "name").stdout == "payments\n"
    assert silent.stdout == "mail\n"
    assert "1 of 3 have no name: use -o json" in silent.stderr


def test_values_and_reasons_have_every_format(types) -> None:
    titles, first, *_ = rows(types("metrics", "orders-7", "-o", "csv").stdout)
    sentences = rows(types("why", INSTANCE, "-o", "csv").stdout)

    assert titles[:3] == ["client_id", "client_instance_id", "name"]
    assert first[:2] == ["orders-7", INSTANCE]
    assert sentences[0] == ["title", "heading", "sentence"]
    assert types("metrics", "orders-7", "-o", "name").stdout.split() == [INSTANCE, SECOND]
    assert types("why", INSTANCE, "-o", "name").stdout == f"{INSTANCE}\n"


def test_a_tail_as_csv_has_one_header(types, pushing) -> None:
    pushing.lively(10)
    titles, *values = rows(types("tail", "lively", "--for", "600ms", "-o", "csv").stdout)

    assert titles[0] == "client_id"
    assert {row[0] for row in values} == {"lively"}


def test_a_wide_table_is_whole_at_a_narrow_terminal(person, door) -> None:
    answers_with(door, item(client_id="orders" * 50, k8s_namespace="shop", k8s_pod="p" * 60))
    line = ("clients", "--collector-address", door.address, "--no-color", "-o", "wide")
    titles, row = person.at_a_terminal(*line).splitlines()[:2]

    assert "POD" in titles
    assert row.startswith("orders" * 50 + f"  {INSTANCE}  ")
    assert "…" not in row
