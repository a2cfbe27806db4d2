"""No record that a workload can write ends an analysis: it is counted or in quarantine, and the next batch is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.contracts.resources.analytics_job import JOB_TYPES
from kwitness.contracts.resources.analytics_parameters import UpgradeImpactParameters
from kwitness.jobs.analyses.registry import find_job
from kwitness.jobs.frame.job import JobInput, LatticeSink, TableSink
from kwitness.jobs.frame.lattice_sink import LatticeTable
from kwitness.jobs.frame.offsets import TopicPartition
from kwitness.jobs.frame.sink import Reading
from kwitness.jobs.frame.windows_sink import WindowTables

from tests.jobs.extreme_records import extremes
from tests.jobs.tables import frame_of
from tests.jobs.test_latency_slo_equals_the_oracle import PARAMETERS
from tests.jobs.test_mirror_verdicts import parameters

_GIVEN: dict[str, BaseModel] = {
    "LatencySlo": PARAMETERS,
    "MirrorAudit": parameters(),
    "UpgradeImpact": UpgradeImpactParameters(target="4.4"),
}
#: CostAttribution reads tables; its oracle's test has sums beyond 64 bits in them.
_TYPES = [name for name in JOB_TYPES if not isinstance(find_job(name).sink, TableSink)]


@pytest.mark.parametrize("job_type", _TYPES)
def test_no_record_ends_an_analysis(spark: SparkSession, tmp_path: Path, job_type: str) -> None:
    job = find_job(job_type)
    given = JobInput(_GIVEN.get(job_type) or job.parameters(), 300.0)
    path, topics = str(tmp_path / "table"), job.inputs.topics
    if isinstance(job.sink, LatticeSink):
        lattice = LatticeTable(spark, job, job.sink, given, path)
        second = job.sink.second
        reads = [lattice.read, *([lambda rows: lattice.read_second(rows, {})] if second else [])]
        lattice.prepare()
    else:
        windows = WindowTables(spark, job, job.sink, given, path=path, facts_path=str(tmp_path / "facts"))
        reads = [windows.read]
        windows.prepare()
    records = (
        [record for kind in dict.fromkeys((*topics, *(second.topics if second else ()))) for record in extremes(kind)]
        if isinstance(job.sink, LatticeSink)
        else [record for kind in topics for record in extremes(kind)]
    )
    # Each batch has the same, and the table adds to what it has.
    for batch in range(2):
        for read in reads:
            reading: Reading = read(frame_of(spark, records))
            decoded = reading.decoded.persist()
            used, rejected = decoded.agg(F.sum("used"), F.count("rejected")).collect()[0]
            assert used + rejected == len(records)
            assert used
            assert rejected
            reading.write({TopicPartition(record.topic, 0): record.offset + 1 + batch for record in records})
            decoded.unpersist()
