"""Names of any text, in every noun: filters find them, whole or by how they begin, and pages have each of them once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kwitness.contracts.endpoints import MAX_QUESTION
from kwitness.contracts.nouns import CLIENTS, CONNECTIONS, GROUPS, TRAFFIC
from kwitness.contracts.questions import Noun

from tests.collector.collector_process import GATEWAY, OTLP, PLUGIN, CollectorProcess
from tests.collector.collector_samples import batch, counter_push, push
from tests.collector.event_samples import connection, listed, request
from tests.collector.noun_answers import ask, pages
from tests.collector.window_samples import behind, end_before_now, produced, window

Start = Callable[..., CollectorProcess]
PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))
NAMES = [
    *(PRINTABLE, PRINTABLE[::-1], *(f"{character}z" for character in "\"'%&*+,-/:;=?\\")),
    *("line\nfeed", "tab\tstop", "line\r\nends", "nul\0l", "esc\x1b[2J", "\x85next", "\u2028separator"),
    *("\u202eright", "\u2066\u05e9\u05dc\u05d5\u05dd", "\ufeffmark", "\U0001f600 smile", "e\u0301", "\u00e9"),
    *(" before", "behind ", "  ", "a%00b", "a%2Fb", "a&limit=1", "null", "x" * 249),
]
LONG = {"plain": "x" * 32_767, "two bytes": "\u00e9" * 16_383, "four bytes": "\U0001f600" * 8_191}
KEYS = {
    CLIENTS: "client_instance_id",
    CONNECTIONS: "connection_id",
    TRAFFIC: "client_id,principal,topic",
    GROUPS: "group_id,topic",
}
"""Fields that no two items share here."""
TEXTS = {
    CLIENTS: ("client_id", "principal"),
    CONNECTIONS: ("client_id", "principal", "group_id"),
    TRAFFIC: ("client_id", "principal", "topic"),
    GROUPS: ("group_id", "topic"),
}
_numbers = itertools.count(1)


def observe(collector: CollectorProcess, **lists: list[dict[str, Any]]) -> None:
    """Send one window."""
    answer = collector.observe(request(totals=[window(next(_numbers), end_before_now(), **lists)]))
    assert (answer.status, answer.body["rejected"]) == (200, [])


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CollectorProcess]:
    """A collector that knows clients of all names."""
    process = CollectorProcess(tmp_path_factory.mktemp("names")).start()
    clients = [*NAMES, *LONG.values()]
    pushes = [
        push(number, counter_push(1), client=f"i{number}", client_id=name, principal=name)
        for number, name in enumerate(clients)
    ]
    assert process.push(batch(pushes)).body["accepted"] == len(clients)
    yield process
    process.kill()


def observe_names(collector: CollectorProcess, noun: Noun) -> None:
    """Report what an observer sees of all names: it is shown for a minute and a half."""
    if noun is CONNECTIONS:
        collector.get(CONNECTIONS.path)
        opened = [
            connection(number, client_id=name, principal=name, group_id=name) for number, name in enumerate(NAMES)
        ]
        assert collector.observe(request(open_connections=listed(*opened))).status == 200
    if noun is TRAFFIC:
        of_clients = [produced("of all", client_id=name, principal=name) for name in [*NAMES, *LONG.values()]]
        observe(collector, traffic=[*of_clients, *(produced(name, client_id="of all") for name in NAMES)])
    if noun is GROUPS:
        of_groups = [behind(name, 7, topic="of all") for name in [*NAMES, *LONG.values()]]
        observe(collector, groups=[*of_groups, *(behind("of all", 7, topic=name) for name in NAMES)])


def matched(collector: CollectorProcess, noun: Noun, **parameters: str) -> int:
    return int(ask(collector, noun, limit="1", **parameters)["matched"])


@pytest.mark.parametrize(("noun", "field"), [(noun, field) for noun, fields in TEXTS.items() for field in fields])
def test_a_name_is_found_whole_and_by_how_it_begins(known: CollectorProcess, noun: Noun, field: str) -> None:
    observe_names(known, noun)

    for name in NAMES:
        assert matched(known, noun, **{field: name}) == 1, name
        begins = sum(other.startswith(name[:4]) for other in [*NAMES, "of all"])
        found = ask(known, noun, limit="1000", **{field: f"{name[:4]}*"})
        assert found["matched"] >= begins, name
        if name.isprintable() and len(name) <= 128:
            assert name in [item[field] for item in found["items"]]


@pytest.mark.parametrize(("noun", "field"), [(CLIENTS, "client_id"), (TRAFFIC, "client_id"), (GROUPS, "group_id")])
def test_a_name_as_long_as_kafka_allows_is_found(known: CollectorProcess, noun: Noun, field: str) -> None:
    observe_names(known, noun)

    for name in LONG.values():
        assert matched(known, noun, **{field: name}) == 1
        assert matched(known, noun, **{field: f"{name[:200]}*" if noun is CLIENTS else f"{name[:100]}*"}) >= 1


@pytest.mark.parametrize("noun", TEXTS)
def test_pages_have_every_name_once_in_every_order(known: CollectorProcess, noun: Noun) -> None:
    observe_names(known, noun)
    ordered = [field for field in noun.orders if field in ("client_id", "principal")]
    number = matched(known, noun)
    assert number >= len(NAMES)

    for order in [{}, *({"order": f"{sign}{field}"} for field in ordered for sign in ("", "-"))]:
        items = pages(known, noun, 7, fields=KEYS[noun], **order)
        assert len(items) == len({tuple(map(str, item.values())) for item in items}) == number, order


@pytest.mark.parametrize("noun", TEXTS)
@pytest.mark.parametrize(
    ("token", "status"), [(None, 401), ("unknown", 401), (PLUGIN, 403), (OTLP, 403), (GATEWAY, 403)]
)
def test_a_token_without_rights_reads_no_name_of_any_noun(
    known: CollectorProcess, noun: Noun, token: str | None, status: int
) -> None:
    observe_names(known, noun)

    refused = known.get(noun.path, token=token)

    assert (refused.status, "items" in refused.body) == (status, False)
    assert NAMES[0] not in str(refused.body)


def test_a_question_that_is_longer_than_a_name_is_refused(known: CollectorProcess) -> None:
    assert known.get(CLIENTS.path, params={"client_id": "x" * MAX_QUESTION}).status == 400
    assert known.get(CLIENTS.path, params={"client_id": "x" * (MAX_QUESTION - 100)}).status == 200


def test_20_000_groups_are_each_in_one_page(start: Start) -> None:
    collector, names = start(), [f"group-{number:05}" for number in range(20_000)]
    for first in range(0, len(names), 4_000):
        groups = [behind(name, number + 1) for number, name in enumerate(names[first : first + 4_000], first)]
        observe(collector, groups=groups)

    found = pages(collector, GROUPS, 1_000, fields="group_id")

    assert [item["group_id"] for item in found] == names
    assert matched(collector, GROUPS, group_id="group-1*") == 10_000
    largest = ask(collector, GROUPS, limit="3", order="-committed_lag", fields="group_id,committed_lag")["items"]
    assert [item["committed_lag"] for item in largest] == [20_000, 19_999, 19_998]
