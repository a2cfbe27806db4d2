"""Checks that readers of namespaces have silent clients of these alone, with reasons that say nothing of others."""

from __future__ import annotations

import json

from kwitness.console.index.contents import new_index
from kwitness.console.index.database import Database
from kwitness.console.index.members import rebuild
from kwitness.console.index.reader_schemas import ReaderSchemas
from kwitness.console.index.tables import SILENT, SILENT_IN_NAMESPACES
from kwitness.console.readers import Reader
from kwitness.console.rows.client_stories import client_stories
from kwitness.console.rows.clients import client_named

_SOFTWARE = {"client_software_name": "apache-kafka-java", "client_software_version": "3.6.0", "seen_by": "observer"}
_WHY = {"reason": "SubscribedNotPushing"}


def test_readers_of_a_namespace_see_why_its_clients_are_silent_and_no_others() -> None:
    index = new_index()
    client = {"client_id": "app", **_SOFTWARE, **_WHY}
    plain = [
        {**client, "connections": 3, "detail": "7 instances asked without a push."},
        {**_SOFTWARE, **_WHY, "connections": 40, "seen_by": "plugin", "detail": "Of all."},
    ]
    proven = [
        {**client, "connections": 2, "k8s_namespace": "shop", "detail": "This one may not have asked."},
        {**client, "connections": 1, "k8s_namespace": "bank", "detail": "Of the bank."},
        {**client, "client_id": "theirs", "connections": 1, "k8s_namespace": "bank", "detail": "Theirs."},
    ]
    index.write(SILENT.filled(json.dumps(plain)), SILENT_IN_NAMESPACES.filled(json.dumps(proven)))
    rebuild(index)

    def details(database: Database) -> list[str]:
        return [row["detail"] for row in database.rows("SELECT detail FROM silent ORDER BY connections DESC")]

    readers = ReaderSchemas(index)
    assert details(index) == ["Of all.", "7 instances asked without a push."]
    with readers.seen_by(Reader("", frozenset({"shop"}))) as seen:
        assert details(seen.database) == ["This one may not have asked."]
        assert client_named(seen.database, "app", 0).is_silent
        assert not client_named(seen.database, "theirs", 0).is_silent
        assert "This one may not have asked." in str(client_stories(seen.database, "app", 0))
    for namespaces in (set[str](), {""}):
        with readers.seen_by(Reader("", frozenset(namespaces))) as seen:
            assert details(seen.database) == []
    index.close()
