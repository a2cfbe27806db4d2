"""The column of owners has of every row the owner that comparing each entry finds."""

from __future__ import annotations

from itertools import product

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.contracts.owners import OWNED_BY, KnownOwner, OwnerList, OwnerMatch
from kwitness.jobs.frame.owner_names import OwnerNames
from kwitness.jobs.frame.owners import OWNER, owner_of

from tests.contracts.owner_values import OWNERS, VALUES, first_fit

SCHEMA = ", ".join((*(f"{name} string" for name in OWNED_BY), "at_ms bigint"))
TOPIC_OR_PRINCIPAL = OwnerList(
    owners=(
        KnownOwner(team="a", match=OwnerMatch(topic="*", principal="*")),
        KnownOwner(team="b", contact="b@example.com", source="KafkaTopic", match=OwnerMatch(topic="t")),
    )
)


@settings(max_examples=2, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(many=st.lists(OWNERS, min_size=6, max_size=6))
def test_the_column_has_the_first_entry_that_fits(spark: SparkSession, many: list[OwnerList]) -> None:
    rows = list(product(VALUES, (None, "ab"), (None, "b"), (None, "a"), (None, "a", "%"), (999, 1000, 2001)))
    columns = {name: F.col(name) for name in OWNED_BY}

    frame = spark.createDataFrame(rows, SCHEMA).select(
        *(owner_of(owners, F.col("at_ms"), **columns).alias(str(place)) for place, owners in enumerate(many))
    )
    found = frame.collect()

    for place, owners in enumerate(many):
        expected = [first_fit(owners, dict(zip(OWNED_BY, row, strict=False)), row[-1]) for row in rows]
        assert [None if row[place] is None else tuple(row[place]) for row in found] == [
            None if entry is None else (entry.team, entry.contact, entry.source) for entry in expected
        ]


def test_a_fact_that_is_left_out_fits_nothing_and_without_owners_there_is_none(spark: SparkSession) -> None:
    topic, at_ms = F.lit("t"), F.lit(0).cast("bigint")

    (row,) = (
        spark.range(1)
        .select(
            owner_of(TOPIC_OR_PRINCIPAL, at_ms, topic=topic).alias("topic"),
            owner_of(TOPIC_OR_PRINCIPAL, at_ms, topic=topic, principal=F.lit("")).alias("both"),
            owner_of(TOPIC_OR_PRINCIPAL, at_ms, principal=F.lit("p")).alias("client"),
            owner_of(None, at_ms, topic=topic).alias("without"),
        )
        .collect()
    )

    assert row.topic.asDict() == dict(zip(OWNER.names, ("b", "b@example.com", "KafkaTopic"), strict=True))
    assert row.both.asDict() == dict(zip(OWNER.names, ("a", None, "ConfigMap"), strict=True))
    assert (row.client, row.without) == (None, None)


def test_rows_go_through_python_only_where_an_entry_can_fit(spark: SparkSession) -> None:
    def plan(column: object) -> str:
        frame = spark.range(1).select(column)  # type: ignore[arg-type]
        return str(frame._jdf.queryExecution().toString())

    at_ms = F.col("id")

    assert "ArrowEvalPython" in plan(owner_of(TOPIC_OR_PRINCIPAL, at_ms, topic=F.lit("t")))
    assert "Python" not in plan(owner_of(TOPIC_OR_PRINCIPAL, at_ms, principal=F.lit("p")))
    assert "Python" not in plan(owner_of(OwnerList(), at_ms, topic=F.lit("t")))


def test_names_have_the_contact_where_there_is_one() -> None:
    names = OwnerNames(TOPIC_OR_PRINCIPAL, at_ms=0)

    assert names.of_topic("t") == "b (b@example.com)"
    assert names.of_topic(None) is None
    assert names.of_client({"principal": "p", "client_id": None}) is None
    assert OwnerNames(None, at_ms=0).of_topic("t") is None
