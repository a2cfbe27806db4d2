"""`clients` by name, filters, order and limit."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.clients.answers import parameters_of
from tests.cli.clients.conftest import answers_with, item, lines

pytestmark = pytest.mark.slow


def silent(client_id: str, **changes: Any) -> dict[str, Any]:
    known = {"client_software_name": "librdkafka", "client_software_version": "1.9.2", "seen_by": "observer"}
    return {**known, "client_id": client_id, "reason": "TooOld", "detail": "Upgrade it.", **changes}


def test_a_name_means_a_client_id_and_else_the_beginning_of_one(types, door) -> None:
    def page(parameters: dict[str, str]) -> Any:
        found = [item(), item(client_id="orders-70")] if parameters["client_id"] == "ord*" else []
        return {"items": found, "missing": [], "matched": len(found)}

    door.replaced["/v1/clients"] = (200, page)
    done = types("clients", "ord")

    assert [line[0] for line in lines(done)[1:]] == ["orders-7", "orders-70"]
    assert [question["client_id"] for question in parameters_of(door, "/v1/clients")] == ["ord", "ord*"]


def test_a_name_that_a_client_has_means_no_other(types, door) -> None:
    assert [line[0] for line in lines(types("clients", "orders-7"))[1:]] == ["orders-7", "orders-7"]
    assert [question["client_id"] for question in parameters_of(door, "/v1/clients")] == ["orders-7"]


def test_the_collector_bounds_the_answer_and_a_warning_counts_the_rest(types, door) -> None:
    done = types("clients", "--limit", "1")

    assert len(lines(done)) == 2
    assert "are not shown: select by other options, or show more by --limit" in done.stderr
    assert [question["limit"] for question in parameters_of(door, "/v1/clients")] == ["1"]


def test_a_larger_limit_is_read_in_pages(types, door) -> None:
    def page(parameters: dict[str, str]) -> Any:
        start, size = int(parameters.get("continue", 0)), int(parameters["limit"])
        found = [item(client_instance_id=f"{number:08}") for number in range(start, start + size)]
        return {"items": found, "missing": [], "matched": 20_000, "continue": str(start + size)}

    door.replaced["/v1/clients"] = (200, page)
    done = types("clients", "--limit", "1200", "-o", "name")

    assert len(done.stdout.split()) == 1_200
    assert "18800 of 20000 are not shown" in done.stderr
    assert [question["limit"] for question in parameters_of(door, "/v1/clients")] == ["1000", "200"]


def test_rows_have_the_order_of_the_collector_where_one_is_chosen(types, door) -> None:
    answers_with(door, item(client_id="b"), item(client_id="a"))
    sorted_there, by_name = types("clients", "--sort", "-last_push_ms"), types("clients")

    assert [line[0] for line in lines(sorted_there)[1:]] == ["b", "a"]
    assert [line[0] for line in lines(by_name)[1:]] == ["a", "b"]
    assert parameters_of(door, "/v1/clients")[0]["order"] == "-last_push_ms"


def test_our_own_clients_are_not_among_those_that_are_left_out(types, door) -> None:
    door.replaced["/v1/clients"] = (200, {"items": [item(), item(client_id="k", ours=True)], "matched": 2})

    assert types("clients").stderr == ""
    assert json.loads(types("clients", "-o", "json").stdout)["matched"] == 1


def test_silent_clients_are_selected_sorted_and_bounded_by_the_command(types, door) -> None:
    items = [silent("b", connections=3), silent("ba", connections=7), silent("c", connections=9), silent("bc")]
    door.replaced["/v1/silent"] = (200, {"items": items, "missing": []})
    done = types("clients", "--silent", "b*", "--sort", "-client_id", "--limit", "2")
    named = types("clients", "--silent", "c", "-o", "name")

    assert [line[0] for line in lines(done)[1:]] == ["bc", "ba"]
    assert "1 of 3 are not shown" in done.stderr
    assert named.stdout == "c\n"


@pytest.mark.parametrize("options", ["--group g", "--owner Orders", "--workload w", "--sort last_push_ms"])
def test_fields_that_silent_clients_lack_are_refused(types, options) -> None:
    done = types("clients", "--silent", *options.split())

    assert done.returncode == 2
    assert f"leave out {options.split()[0]}" in done.stderr


def test_what_is_known_to_be_wrong_is_a_filter_and_a_column_of_the_wide_table(types, door) -> None:
    wrong = item(known_wrong=["LostLastPush", "WrongRatesAndMeans"])
    door.replaced["/v1/clients"] = (200, {"items": [wrong, item()], "missing": [], "matched": 2})

    wide = types("clients", "--known-wrong", "Lost*", "--output", "wide", "--why")

    assert [question["known_wrong"] for question in parameters_of(door, "/v1/clients")] == ["Lost*"]
    assert "KNOWN WRONG" in wide.stdout
    assert "LostLastPush, WrongRatesAndMeans" in wide.stdout
    assert "KNOWN WRONG" not in types("clients").stdout
