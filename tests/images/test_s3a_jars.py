"""What the variant of the Spark image for object stores has more: few jars, each by its hash, none of them twice."""

from __future__ import annotations

from pathlib import Path

import pyspark
import pytest

from kwitness.images.image_recipes import SHIPPED
from kwitness.images.s3a_jars import LOCK, JarsDifferError, require_locked, s3a_jars
from kwitness.images.spark_jars import spark_jars

MOST_BYTES = 12_000_000
"""A tenth more than it has; the SDK's bundle would be half a gigabyte."""


def test_the_variant_is_the_spark_image_and_few_bytes_more() -> None:
    jars = {jar.name: jar.stat().st_size for jar in s3a_jars().iterdir()}

    assert SHIPPED["spark-s3a"].base is SHIPPED["spark"]
    assert {line.split()[1] for line in LOCK.read_text().splitlines()} == set(jars)
    assert sum(jars.values()) < MOST_BYTES
    assert not [name for name in jars if name.startswith("bundle-")]


def test_no_jar_comes_twice() -> None:
    of_pyspark = Path(pyspark.__file__).parent / "jars"

    def projects(folder: Path) -> set[str]:
        return {jar.stem.rpartition("-")[0] for jar in folder.glob("*.jar")}

    assert projects(s3a_jars()) & (projects(of_pyspark) | projects(spark_jars())) == set()


def test_hadoop_is_of_the_version_that_pyspark_has() -> None:
    (of_pyspark,) = (Path(pyspark.__file__).parent / "jars").glob("hadoop-client-api-*.jar")
    (own,) = s3a_jars().glob("hadoop-aws-*.jar")

    assert own.stem.removeprefix("hadoop-aws-") == of_pyspark.stem.removeprefix("hadoop-client-api-")


def test_another_file_of_the_same_name_is_refused() -> None:
    with pytest.raises(JarsDifferError, match=r"jars\.sha256 has them: a\.jar, b\.jar, c\.jar"):
        require_locked({"a.jar": "1", "b.jar": "2", "d.jar": "4"}, {"a.jar": "0", "c.jar": "3", "d.jar": "4"})
