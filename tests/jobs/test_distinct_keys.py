"""What interceptors write about keys is what Spark's own functions add up."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, hll_sketch_estimate, hll_union_agg, unbase64

from kwitness.contracts.records import DistinctKeys

from tests.vectors import vectors

EXAMPLES = vectors("interception_aggregates", "distinct_keys")


def added_up(spark: SparkSession, images: list[str]) -> int:
    """About how many different keys all images hold together."""
    rows = spark.createDataFrame([(image,) for image in images], "sketch string")
    union = rows.agg(hll_union_agg(unbase64(col("sketch"))).alias("union"))
    [row] = union.select(hll_sketch_estimate("union").alias("distinct")).collect()
    return int(row["distinct"])


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one["name"])
def test_spark_reads_an_image(spark: SparkSession, example) -> None:
    assert abs(added_up(spark, [example["image"]]) - example["distinct"]) <= 0.05 * example["distinct"]


def test_keys_that_several_images_have_count_once(spark: SparkSession) -> None:
    images = {one["name"]: one["image"] for one in EXAMPLES}
    [many] = [one["distinct"] for one in EXAMPLES if one["name"] == "many"]

    assert abs(added_up(spark, list(images.values())) - many) <= 0.05 * many


def test_the_reference_estimates_what_spark_does_within_the_error(spark: SparkSession) -> None:
    [example] = [one for one in EXAMPLES if one["name"] == "union"]
    whole = DistinctKeys()
    for first, end in example["ranges"]:
        whole.merge(DistinctKeys(str(number).encode() for number in range(first, end)))

    assert abs(whole.estimate() - added_up(spark, [example["image"]])) <= 0.05 * example["distinct"]
