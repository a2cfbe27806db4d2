"""What `kwitness tables forget` does to a table, and the job that goes on writing it."""

from __future__ import annotations

from pathlib import Path

from deltalake import DeltaTable
from pyspark.sql import SparkSession

from kwitness.cli import forgetting
from kwitness.contracts.resources.analytics_parameters import ClientInventoryParameters
from kwitness.jobs.analyses.client_inventory.job import JOB, SINK
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.lattice_sink import LatticeTable

from tests.jobs.tables import frame_of, read
from tests.jobs.traffic import push

INPUT = JobInput(ClientInventoryParameters(), 300.0)
FIRST, SECOND = {("kwitness.telemetry", 0): 3}, {("kwitness.telemetry", 0): 4}


def test_a_job_goes_on_with_a_table_that_a_principal_was_forgotten_in(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "table")
    table = LatticeTable(spark, JOB, SINK, INPUT, Path(path).as_uri())
    table.prepare()
    seen = [push(number, client_instance_id=name, principal=f"User:{name}") for number, name in enumerate("abc")]
    table.read(frame_of(spark, seen)).write(FIRST)

    done = forgetting.forget(path, "User:b")
    forgetting.vacuum(path)

    assert done == forgetting.Forgotten(removed=1, emptied=0)
    assert table.positions() == FIRST, "records that were applied are not applied again"
    later = push(3, client_instance_id="a", principal="User:a", client_id="new")
    table.read(frame_of(spark, [later])).write(SECOND)
    assert {row["principal"] for row in read(path)} == {"User:a", "User:c"}
    assert table.positions() == SECOND
    protocol = DeltaTable(path).protocol()
    assert (protocol.min_reader_version, protocol.min_writer_version) == (1, 2)
