"""The jars that Spark needs beside PySpark's own, collected by Maven once per content of their project file.

`python -m kwitness.images.spark_jars` prints their folder.
"""

from __future__ import annotations

from pathlib import Path

from kwitness.images.cache import cached_folder, content_key
from kwitness.images.commands import run

#: The Maven project that the Spark image and the tests of the jobs share.
POM = Path(__file__).resolve().parents[3] / "spark" / "pom.xml"

#: Beginnings of the names of the jars that are kept. Maven collects more (Hadoop, Jackson, log4j, Parquet, Scala); all
#: of that is in PySpark's wheel, in the versions it was built with, and must not come twice.
WANTED = (
    "commons-pool2-",
    "delta-",
    "kafka-clients-",
    "spark-avro_",
    "spark-sql-kafka-",
    "spark-token-provider-kafka-",
    "unitycatalog-client-",
)


def spark_jars() -> Path:
    """The folder with the jars that go into `pyspark/jars` of the image, or on the class path of a local session.

    Raises
    ------
    CommandFailedError
        Maven could not resolve them; its output is in the message.
    """
    return cached_folder("spark-jars", content_key(POM, *WANTED), _resolve)


def _resolve(home: Path) -> None:
    command = ["mvn", "-U", "-q", "-B", "-f", str(POM), "dependency:copy-dependencies", "-DincludeScope=runtime"]
    # A failed try is remembered by Maven for a day; -U asks again.
    run([*command, f"-DoutputDirectory={home}"], timeout_seconds=600)
    for jar in home.iterdir():
        if not jar.name.startswith(WANTED):
            jar.unlink()


if __name__ == "__main__":
    print(spark_jars())
