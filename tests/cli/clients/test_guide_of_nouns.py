"""Each line of the guide about clients, connections, topics and groups does what it says."""

from __future__ import annotations

import pytest

from tests.cli.clients.answers import answers_connections, answers_groups, answers_traffic, connection, group, traffic
from tests.cli.clients.conftest import answers_with, item
from tests.cli.test_guide_of_command import GUIDE, typed

pytestmark = pytest.mark.slow
NOUNS = ("clients", "connections", "topics", "groups")
LINES = [words for words in typed(GUIDE) if words[0] in NOUNS]


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_every_line_of_the_guide_shows_rows(types, door, line) -> None:
    known = {"owner": {"team": "Orders"}, "client_software_version": "2.5.3"}
    answers_with(door, item(client_id="orders", group_id="payments", **known))
    answers_connections(door, connection("mail"))
    answers_traffic(door, traffic("Produce", "shop"), traffic("Fetch", "mail", "orders*"))
    answers_groups(door, group("payments", "orders", 7, 9))
    done = types(*line)

    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) >= 2


def test_the_guide_has_lines_of_each_noun() -> None:
    assert {words[0] for words in LINES} == set(NOUNS)
