"""Checks the index of readers with namespaces: its tables are those of an index that has their rows alone."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kwitness.console.index.all_tables import ALL_TABLES
from kwitness.console.index.assembly import Assembly
from kwitness.console.index.contents import new_index
from kwitness.console.index.database import EVERYTHING, Database, IndexFullError
from kwitness.console.index.members import rebuild
from kwitness.console.index.reader_schemas import KEPT_S, MOST_SCHEMAS, ReaderSchemas
from kwitness.console.index.tables import CONNECTIONS, Table
from kwitness.console.readers import MOST_NAMESPACES, Reader, TooManyNamespacesError

from tests.console.rows_of_tables import add_rows
from tests.soak import share

SHOP = Reader("of shop", frozenset({"shop"}))
MIB = 1024 * 1024
MOST = 4
"""Schemas of tests that are not about the bound itself."""
Items = dict[str, list[dict[str, Any]]]


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def index() -> Iterator[Database]:
    database = new_index()
    yield database
    database.close()


def fill(index: Database, items: Mapping[str, list[dict[str, Any]]]) -> None:
    """Fill all tables, with nothing where nothing is given."""
    index.write(*(table.filled(json.dumps(items.get(table.name, []))) for table in ALL_TABLES))
    rebuild(index)


def names(index: Database) -> set[str]:
    """Return the names of all tables of a schema."""
    found = index.rows("SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()")
    return {row["name"] for row in found}


def tables(index: Database) -> dict[str, list[str]]:
    """Return all rows of all tables; numbers of members only tell rows apart, so flows have the member itself."""
    queries = {name: f"FROM {name}" for name in names(index)}
    queries["members"] = "SELECT * EXCLUDE (id) FROM members"
    queries["flows"] = "SELECT f.* EXCLUDE (member), m.* EXCLUDE (id) FROM flows AS f JOIN members AS m ON id = member"
    return {
        name: sorted(json.dumps(row, sort_keys=True) for row in index.rows(query)) for name, query in queries.items()
    }


TEXTS = st.sampled_from(["a", "b", None])
NAMESPACES = st.sampled_from(["shop", "bank", "sho", "shop2", "", "*", "s*", "SHOP", None])
OWNERS = st.sampled_from([{"team": "shop", "contact": "#x"}, {"team": "bank", "contact": None}, None])
CLIENT = {
    "client_id": TEXTS,
    "principal": st.sampled_from(["User:a", "User:b", None]),
    "client_software_name": st.sampled_from(["apache-kafka-java", None]),
    "client_software_version": st.sampled_from(["3.8.0", "4.3.1", None]),
    "k8s_workload": TEXTS,
    "k8s_pod": TEXTS,
    "owner": OWNERS,
    "k8s_namespace": NAMESPACES,
}
TOPIC = {"topic": TEXTS, "api": st.sampled_from(["Produce", "Fetch", "OffsetCommit"]), "topic_owner": OWNERS}
RATES = {"record_bytes_per_s": st.sampled_from([1.0, 2.0, None]), "fetch_lag_ms": st.sampled_from([1, 5, None])}
KINDS = {
    "clients": {
        **CLIENT,
        "key": TEXTS,
        "last_push_ms": st.sampled_from([1, None]),
        "first_seen_ms": st.just(1),
        "k8s_namespace_proven": st.sampled_from([True, False, None]),
    },
    "connections": {**CLIENT, "opaque": TEXTS, "group_id": TEXTS},
    "traffic": {**CLIENT, **TOPIC, **RATES},
    "groups": {"group_id": TEXTS, "topic": TEXTS, "owner": OWNERS, "committed_lag": st.just(3)},
    "silent": {"client_id": TEXTS, "connections": st.just(2)},
    "reporters": {"pod_namespace": NAMESPACES, "pod": TEXTS, "clients": st.sampled_from([0, 1])},
    "observers": {"observer": TEXTS, "observer_pod": st.sampled_from(["shop/a", "bank/a", "shop2/shop", None])},
}
EVERYTHING_KNOWN = st.fixed_dictionaries(
    {name: st.lists(st.fixed_dictionaries(kind), max_size=6) for name, kind in KINDS.items()}
)


def of_shop(items: Items) -> Items:
    """Return the items that a reader of one namespace may see, by the words of the contract."""

    def is_seen(name: str, item: Mapping[str, Any]) -> bool:
        if name == "clients" and item["k8s_namespace_proven"] is not True:
            return False
        if name == "observers":
            return (item["observer_pod"] or "").partition("/")[0] == "shop"
        return item.get("pod_namespace" if name == "reporters" else "k8s_namespace") == "shop"

    return {name: [item for item in rows if is_seen(name, item)] for name, rows in items.items()}


class Pair(NamedTuple):
    """An index of all rows with its schemas, and one that is filled with visible rows alone."""

    index: Database
    readers: ReaderSchemas
    alone: Database


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    index, alone = new_index(), new_index()
    yield Pair(index, ReaderSchemas(index), alone)
    index.close()
    alone.close()


@pytest.mark.soak
@settings(max_examples=share(100), deadline=None)
@given(items=EVERYTHING_KNOWN)
def test_the_tables_of_a_reader_are_those_of_an_index_of_visible_rows_alone(pair: Pair, items: Items) -> None:
    fill(pair.index, items)
    fill(pair.alone, of_shop(items))
    pair.readers.make_again()

    with pair.readers.seen_by(SHOP) as found:
        assert tables(found.database) == tables(pair.alone)


def test_a_schema_has_all_tables_and_a_name_that_it_lacks_is_not_that_of_all(index: Database) -> None:
    with ReaderSchemas(index).seen_by(SHOP) as found:
        assert names(found.database) == names(index)
        found.database.write("DROP TABLE members")
        with pytest.raises(duckdb.CatalogException, match="members does not exist"):
            found.database.rows("SELECT * FROM members")
    assert names(index.in_schema("main")) == set()
    assert index.rows("SELECT current_schema() AS name") == [{"name": EVERYTHING}]


@pytest.fixture(scope="module")
def of_both() -> Iterator[Database]:
    """An index with a row of each of two namespaces in each table."""
    database = new_index()
    for namespace in ("shop", "bank"):
        add_rows(database, namespace)
    yield database
    database.close()


@pytest.fixture(scope="module")
def of_shop_alone(of_both: Database) -> Iterator[Database]:
    with ReaderSchemas(of_both).seen_by(SHOP) as found:
        yield found.database


@pytest.mark.parametrize("table", ALL_TABLES, ids=lambda table: table.name)
def test_each_table_of_a_source_names_the_namespace_of_its_rows_or_is_for_readers_of_all(
    of_both: Database, of_shop_alone: Database, table: Table
) -> None:
    rows = of_shop_alone.rows(f"FROM {table.name}")

    assert len(rows) == (table.namespace is not None)
    assert "bank" not in json.dumps(rows, default=str)
    assert len(of_both.rows(f"FROM {table.name}")) == 2


def test_a_namespace_that_appears_is_seen_after_the_index_was_put_together_again(index: Database) -> None:
    readers = ReaderSchemas(index)
    item = {"client_id": "a", "k8s_namespace": "shop"}
    with readers.seen_by(SHOP) as found:
        fill(index, {"connections": [item]})
        assert found.database.rows("SELECT client_id FROM connections") == []

    readers.make_again()

    with readers.seen_by(SHOP) as found:
        assert found.database.rows("SELECT client_id FROM members") == [{"client_id": "a"}]


def test_readers_of_the_same_namespaces_have_one_schema_until_none_has_used_it_for_a_minute(index: Database) -> None:
    clock = Clock()
    readers = ReaderSchemas(index, clock=clock)
    for name in ("a", "b"):
        with readers.seen_by(Reader(name, frozenset({"shop", "bank"}))):
            assert schemas(index) == {"reader_1"}

    clock.now_s = KEPT_S
    readers.make_again()
    assert schemas(index) == {"reader_1"}
    clock.now_s = KEPT_S + 1
    readers.make_again()
    assert schemas(index) == set()

    with readers.seen_by(SHOP):
        clock.now_s = 3 * KEPT_S
        readers.make_again()
        assert schemas(index) == {"reader_2"}


def test_the_schema_that_was_not_used_for_the_longest_time_is_replaced(index: Database) -> None:
    readers = ReaderSchemas(index)
    for number in range(MOST_SCHEMAS):
        use(readers, number)
    use(readers, 0)

    use(readers, MOST_SCHEMAS)

    assert schemas(index) == {f"reader_{number + 1}" for number in range(MOST_SCHEMAS + 1)} - {"reader_2"}
    use(readers, 0)
    assert f"reader_{MOST_SCHEMAS + 2}" not in schemas(index)


def test_a_page_waits_where_pages_use_all_schemas(index: Database) -> None:
    readers = ReaderSchemas(index, most=MOST)
    begun, ended = threading.Barrier(MOST + 1), threading.Event()

    def hold(number: int) -> None:
        with readers.seen_by(of_number(number)):
            begun.wait()
            ended.wait()

    pages = [threading.Thread(target=hold, args=(number,)) for number in range(MOST)]
    late = threading.Thread(target=use, args=(readers, MOST))
    for page in pages:
        page.start()
    begun.wait()
    late.start()
    late.join(timeout=0.2)
    was_waiting = late.is_alive()
    ended.set()
    for page in (*pages, late):
        page.join()

    assert was_waiting
    assert len(schemas(index)) == MOST


def test_a_reader_without_memory_is_refused_and_nothing_is_left() -> None:
    index = new_index(memory=24 * MIB)
    readers = ReaderSchemas(index)
    for start in range(0, 30_000, 2_000):
        named = [f"{number}{'x' * 64}" for number in range(start, start + 2_000)]
        items = [{"client_id": name, "principal": name, "k8s_namespace": "shop"} for name in named]
        index.write(CONNECTIONS.added(json.dumps(items)))

    with pytest.raises(IndexFullError), readers.seen_by(SHOP):
        pass

    assert schemas(index) == set()
    use(readers, 1)
    index.close()


def test_rows_of_a_reader_stay_where_they_cannot_be_made_again() -> None:
    index = new_index(memory=24 * MIB)
    readers = ReaderSchemas(index)
    index.write(CONNECTIONS.filled(json.dumps([{"client_id": "kept", "k8s_namespace": "shop"}])))
    use(readers, 1)
    with readers.seen_by(SHOP) as found:
        assert found.problem is None
    for start in range(0, 30_000, 2_000):
        named = [f"{number}{'x' * 64}" for number in range(start, start + 2_000)]
        items = [{"client_id": name, "principal": name, "k8s_namespace": "shop"} for name in named]
        index.write(CONNECTIONS.added(json.dumps(items)))

    readers.make_again()

    with readers.seen_by(SHOP) as found:
        assert "the index needs more than 24 MiB" in str(found.problem)
        assert found.database.rows("SELECT client_id FROM members") == [{"client_id": "kept"}]
    index.close()


def test_a_reader_of_more_namespaces_than_are_compared_is_refused() -> None:
    most = [f"n{number}" for number in range(MOST_NAMESPACES)]

    assert Reader("most", frozenset(most)).namespaces == {*most}
    with pytest.raises(TooManyNamespacesError, match="clients in 257 namespaces, and the console compares 256 at most"):
        Reader("more", frozenset((*most, "more")))


def of_number(number: int) -> Reader:
    return Reader(str(number), frozenset({f"n{number}"}))


def use(readers: ReaderSchemas, number: int) -> None:
    with readers.seen_by(of_number(number)) as found:
        found.database.rows("SELECT * FROM members")


def schemas(index: Database) -> set[str]:
    """Return the schemas of readers."""
    found = index.rows("SELECT schema_name AS name FROM duckdb_schemas() WHERE starts_with(schema_name, 'reader_')")
    return {row["name"] for row in found}


async def test_the_work_for_readers_is_part_of_that_of_the_index(index: Database) -> None:
    assembly = Assembly(index)
    assembly.request()
    await assembly.make_once()
    least_s = assembly.worked_s
    fill(index, {"connections": [{"client_id": str(number), "k8s_namespace": "shop"} for number in range(200)]})
    for number in range(MOST):
        with assembly.readers.seen_by(Reader("", frozenset({"shop", str(number)}))):
            pass
    assembly.request()
    began = time.process_time()
    await assembly.make_once()
    spent = time.process_time() - began

    assert least_s < assembly.worked_s <= spent
