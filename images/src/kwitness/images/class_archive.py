"""Writes an archive of the classes that drivers and executors load, parsed and verified once (JEP 350).

`python class_archive.py FOLDER RESOURCES [JARS...]` makes in FOLDER `classpath.jar`, which has the files of RESOURCES
and names all jars, and `classes.jsa`, the archive: Java uses it where `classpath.jar` is first on the class path. It
runs in the Spark image, so it imports nothing of this package. docs/decisions/0152 has the figures.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyspark
from delta.tables import DeltaTable
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

CLASSPATH, ARCHIVE = "classpath.jar", "classes.jsa"
_UNFINISHED = "unfinished.jsa"
_FILES_FROM = 315532800
"""The time that all jars of an image have: 1 January 1980."""
_SETTINGS = {
    "spark.master": "local[1]",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.ui.enabled": "false",
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
}
_NOWHERE = "127.0.0.1:1"
_CONSUMER = {
    "bootstrap.servers": _NOWHERE,
    "key.deserializer": "org.apache.kafka.common.serialization.ByteArrayDeserializer",
    "value.deserializer": "org.apache.kafka.common.serialization.ByteArrayDeserializer",
    "default.api.timeout.ms": "1000",
    "request.timeout.ms": "900",
}
_OF_KUBERNETES = (
    "org.apache.spark.scheduler.cluster.k8s.KubernetesClusterManager",
    "org.apache.spark.scheduler.cluster.k8s.KubernetesClusterSchedulerBackend",
    "org.apache.spark.scheduler.cluster.k8s.ExecutorPodsAllocator",
    "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend$",
    "org.apache.spark.executor.CoarseGrainedExecutorBackend",
)
_POD = '{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}, "spec": {"containers": [{"name": "a"}]}}'


def main(folder: Path, resources: Path, folders: Iterable[Path]) -> None:
    """Write both files.

    Parameters
    ----------
    resources
        Files that come before those in the jars.
    folders
        Of jars that come before PySpark's own.
    """
    own = Path(pyspark.__file__).parent / "jars"
    jars = [jar for place in (*folders, own) for jar in sorted(place.glob("*.jar"))]
    write_classpath(folder / CLASSPATH, resources, jars)
    with tempfile.TemporaryDirectory() as scratch:
        session = _open(folder, scratch)
        java = session.sparkContext._gateway.proc  # type: ignore[union-attr]  # noqa: SLF001 - no public way to it
        _use_tables(session, f"{scratch}/table", f"{scratch}/lines")
        _use_clients(session)
        session.stop()
        # Java writes the archive when it ends, and it ends with its standard input.
        java.stdin.close()
        java.wait()
    (folder / _UNFINISHED).rename(folder / ARCHIVE)


def write_classpath(file: Path, resources: Path, jars: Iterable[Path]) -> None:
    """Write a jar that has resources and names jars, with one time."""
    names = f"Class-Path: {' '.join(os.path.relpath(jar, file.parent) for jar in jars)}"
    # A line has at most 72 bytes with its end; what does not fit goes on after a blank.
    continued = (f" {names[at : at + 69]}" for at in range(70, len(names), 69))
    manifest = "\r\n".join(["Manifest-Version: 1.0", names[:70], *continued, "", ""])
    # Entries of an archive have the first time that there is, unless they get another.
    with zipfile.ZipFile(file, "w") as jar:
        jar.writestr(zipfile.ZipInfo("META-INF/MANIFEST.MF"), manifest)
        for resource in sorted(path for path in resources.rglob("*") if path.is_file()):
            jar.writestr(zipfile.ZipInfo(resource.relative_to(resources).as_posix()), resource.read_bytes())
    # Java compares the jar's time with that in the archive, and a release has no file that is younger than its base.
    os.utime(file, (_FILES_FROM, _FILES_FROM))


def _open(folder: Path, scratch: str) -> SparkSession:
    options = (
        f"-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:ArchiveClassesAtExit={folder / _UNFINISHED} -Xlog:cds=error"
    )
    settings: dict[str, Any] = _SETTINGS | {
        "spark.driver.extraClassPath": str(folder / CLASSPATH),
        "spark.driver.extraJavaOptions": options,
        "spark.local.dir": scratch,
        "spark.sql.warehouse.dir": f"{scratch}/warehouse",
    }
    return SparkSession.builder.config(map=settings).getOrCreate()


def _use_tables(session: SparkSession, path: str, lines: str) -> None:
    """Do what batches and housekeeping do."""
    session.range(20).selectExpr("cast(id as string)").write.text(lines)
    empty = session.createDataFrame([], "key string, n long, day date, counts map<string,long>")
    table = DeltaTable.createIfNotExists(session).location(path).addColumns(empty.schema).partitionedBy("day")
    table.property("delta.checkpointInterval", "2").execute()

    def merge(frame: DataFrame, _batch: int) -> None:
        values = ("value key", "cast(value as long) n", "date'2026-01-01' day", "map('a', 1L) counts")
        decoded = frame.selectExpr(*values).mapInArrow(_same, empty.schema).persist()
        rows = decoded.groupBy("key", "day").agg(F.sum("n").alias("n"), F.first("counts").alias("counts"))
        target = DeltaTable.forPath(frame.sparkSession, path).alias("table")
        merging = target.merge(rows.alias("update"), "table.key <=> update.key")
        merging.whenMatchedUpdate(set={"n": F.greatest("table.n", "update.n")}).whenNotMatchedInsertAll().execute()
        decoded.unpersist()

    stream = session.readStream.text(lines).writeStream.option("checkpointLocation", f"{path}-checkpoint")
    for _ in range(2):
        stream.foreachBatch(merge).trigger(availableNow=True).start().awaitTermination()
        session.range(20, 40).selectExpr("cast(id as string)").write.mode("append").text(lines)
    rows = session.read.format("delta").load(path)
    read = F.from_json(F.to_json(F.struct("key", "n", "counts")), "key string, n long, counts map<string,long>")
    few = session.range(3).withColumnRenamed("id", "n")
    rows.select(read.alias("row")).select("row.*").join(F.broadcast(few), "n", "left").orderBy("key").toArrow()
    written = rows.hint("rebalance", "day").write.format("delta").mode("overwrite")
    written.option("replaceWhere", "day = date'2026-01-01'").save(path)
    changed = DeltaTable.forPath(session, path)
    changed.delete("n = 1")
    changed.update("n = 2", {"n": F.lit(3)})
    changed.optimize().executeCompaction()
    changed.vacuum()


def _same(batches: Iterable[pa.RecordBatch]) -> Iterable[pa.RecordBatch]:
    yield from batches


def _use_clients(session: SparkSession) -> None:
    """Use clients of Kafka and Kubernetes, with neither in reach."""
    java: Any = session.sparkContext._jvm  # noqa: SLF001 - PySpark has no public way
    settings = java.java.util.Properties()
    for name, value in _CONSUMER.items():
        settings.put(name, value)
    consumer = java.org.apache.kafka.clients.consumer.KafkaConsumer(settings)
    with contextlib.suppress(Py4JJavaError):
        consumer.listTopics()
    consumer.close()
    options = {f"kafka.{name}": value for name, value in _CONSUMER.items() if "serializer" not in name}
    with contextlib.suppress(PySparkException, Py4JJavaError):
        session.read.format("kafka").options(**options, subscribe="none").load().count()
    for name in _OF_KUBERNETES:
        java.java.lang.Class.forName(name)
    fabric8 = java.io.fabric8.kubernetes
    fabric8.client.KubernetesClientBuilder().build().close()
    serialization = fabric8.client.utils.KubernetesSerialization()
    serialization.asJson(serialization.unmarshal(_POD))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), map(Path, sys.argv[3:]))
