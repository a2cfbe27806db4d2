"""The column of owners says of every row what `Owners.owner_of` says of its values."""

from __future__ import annotations

from itertools import product

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.contracts.owners import OWNED_BY, OwnerEntry, OwnerMatch, Owners
from kwitness.jobs.frame.owners import OWNER, owner_of

from tests.contracts.owner_values import OWNERS, VALUES

SCHEMA = ", ".join(f"{name} string" for name in OWNED_BY)


def said_of(owners: Owners | None, row: tuple[str | None, ...]) -> tuple[str, str | None] | None:
    entry = None if owners is None else owners.owner_of(**dict(zip(OWNED_BY, row, strict=True)))
    return None if entry is None else (entry.team, entry.contact)


@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(many=st.lists(OWNERS, min_size=6, max_size=6))
def test_the_column_says_what_the_function_says(spark: SparkSession, many: list[Owners]) -> None:
    rows = list(product(VALUES, (None, "ab"), (None, "b"), (None, "a", "%")))
    columns = {name: F.col(name) for name in OWNED_BY}

    frame = spark.createDataFrame(rows, SCHEMA).select(
        *(owner_of(owners, **columns).alias(str(place)) for place, owners in enumerate(many))
    )
    found = frame.collect()

    for place, owners in enumerate(many):
        told = [None if row[place] is None else tuple(row[place]) for row in found]
        assert told == [said_of(owners, row) for row in rows]


def test_what_is_left_out_fits_nothing_and_without_owners_it_is_nobodys(spark: SparkSession) -> None:
    owners = Owners(owners=(OwnerEntry(team="a", match=OwnerMatch(topic="*", principal="*")),))
    topic = F.lit("t")

    (row,) = (
        spark.range(1)
        .select(
            owner_of(owners, topic=topic).alias("alone"),
            owner_of(None, topic=topic).alias("nobody"),
            owner_of(owners, topic=topic, principal=F.lit("")).alias("both"),
        )
        .collect()
    )

    assert (row.alone, row.nobody) == (None, None)
    assert row.both.owner == "a"
    assert row.both.owner_contact is None
    assert row.both.asDict().keys() == set(OWNER.names)
