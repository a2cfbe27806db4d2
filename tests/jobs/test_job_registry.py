from __future__ import annotations

from typing import get_args

import pytest

from kwitness.contracts.job_config import JobTopics
from kwitness.contracts.job_inputs import JOB_INPUTS, JobInputs
from kwitness.contracts.resources.analyses import JOB_TYPES
from kwitness.contracts.resources.analytics_parameters import Parameters
from kwitness.contracts.spelling import word_of
from kwitness.contracts.topics import TOPICS, topic_name
from kwitness.jobs.analyses.registry import UnknownJobError, find_job
from kwitness.jobs.frame.job import Inputs, LatticeSink, TopicKind


@pytest.mark.parametrize("name", JOB_TYPES)
def test_a_job_takes_the_parameters_that_its_resource_has(name: str) -> None:
    job = find_job(name)
    field = next(field for field in Parameters.model_fields.values() if field.alias == word_of(name))

    assert job.name == name
    assert job.parameters in get_args(field.annotation)


@pytest.mark.parametrize("name", JOB_TYPES)
def test_every_column_is_explained_and_every_shown_column_exists(name: str) -> None:
    job = find_job(name)

    assert all(field.metadata.get("comment") for field in job.schema)
    if isinstance(job.sink, LatticeSink):
        assert set(job.sink.keys) <= set(job.schema.names)
    assert {one.column for one in job.display_columns} <= set(job.schema.names)


def test_a_job_may_read_any_topic_of_the_platform() -> None:
    assert {topic.name for topic in TOPICS} == set(JobTopics.model_fields) == set(get_args(TopicKind))
    assert all(topic_name("kwitness.", name) == field.default for name, field in JobTopics.model_fields.items())


@pytest.mark.parametrize("name", JOB_TYPES)
def test_the_operator_finds_what_a_job_reads_besides_topics(name: str) -> None:
    inputs, found = find_job(name).inputs, JOB_INPUTS.get(name, JobInputs())
    fields = find_job(name).parameters.model_fields

    assert set(inputs.tables) == {one.type for one in found.tables if not one.optional}
    assert set(inputs.optional_tables) == {one.type for one in found.tables if one.optional}
    assert all(one.optional != fields[one.parameter].is_required() for one in found.tables)
    assert inputs.second_cluster == bool(found.second_cluster)
    assert {one for one in (found.rate_card, found.second_cluster) if one} <= fields.keys()
    assert set(inputs.optional_topics) <= set(inputs.topics)


def test_a_topic_that_never_had_a_record_is_lacking_unless_the_job_can_do_without() -> None:
    traffic = Inputs(topics=("traffic", "seals"), optional_topics=("seals",))
    audit = Inputs(topics=("traffic", "seals"), optional_topics=("traffic", "seals"))

    assert traffic.lacking(["seals"]) == ()
    assert traffic.lacking(["seals", "traffic"]) == ("traffic",)
    assert audit.lacking(["seals"]) == ()
    assert audit.lacking(["seals", "traffic"]) == ("traffic", "seals")
    assert Inputs().lacking([]) == ()


def test_a_job_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownJobError, match="ClientInventory"):
        find_job("FlightRecorder")
