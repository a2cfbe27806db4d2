"""Spark's Python workers are forked from a process that has imported what they need, and not from archives."""

from __future__ import annotations

import sys

import pytest
from pyspark.sql import SparkSession

from kwitness.jobs.driver.python_daemon import without_archives

ARCHIVES = ["/opt/spark/python/lib/pyspark.zip", "/opt/spark/python/lib/py4j-0.10-src.zip"]


def test_workers_find_modules_imported_and_search_no_archive(spark: SparkSession) -> None:
    def state(_: int) -> tuple[bool, list[str]]:
        return {"pandas", "pyarrow"} <= sys.modules.keys(), [str(place) for place in sys.path_importer_cache]

    (imported, searched) = spark.sparkContext.parallelize([0], 1).map(state).first()

    assert imported
    assert [place for place in searched if "pyspark.zip" in place] == []


@pytest.mark.parametrize(
    ("path", "left"), [([*ARCHIVES, *sys.path], sys.path), ([*ARCHIVES, "/nothing"], [*ARCHIVES, "/nothing"])]
)
def test_archives_go_where_the_modules_are_installed_as_well(path: list[str], left: list[str]) -> None:
    assert without_archives(path) == left
