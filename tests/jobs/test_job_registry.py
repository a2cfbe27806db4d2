from __future__ import annotations

from typing import get_args

import pytest

from kwitness.contracts.resources.analytics_job import AnalyticsJobType
from kwitness.contracts.resources.analytics_parameters import Parameters
from kwitness.jobs.registry import UnknownJobError, find_job, job_types
from kwitness.jobs.show import _COLUMNS
from kwitness.operator.desired.job_config import SUPPORTED_TYPES


def test_operator_and_image_know_the_same_jobs() -> None:
    assert set(job_types()) == SUPPORTED_TYPES
    assert set(job_types()) <= set(get_args(AnalyticsJobType))


@pytest.mark.parametrize("name", job_types())
def test_a_job_takes_the_parameters_that_its_resource_has(name: str) -> None:
    job = find_job(name)
    field = next(field for field in Parameters.model_fields.values() if field.alias == name)

    assert job.name == name
    assert job.parameters in get_args(field.annotation)


@pytest.mark.parametrize("name", job_types())
def test_every_column_is_explained_and_every_shown_column_exists(name: str) -> None:
    job = find_job(name)

    assert all(field.metadata.get("comment") for field in job.schema)
    assert set(job.keys) <= set(job.schema.names)
    assert {column for _, column in _COLUMNS[name]} <= set(job.schema.names)


def test_a_job_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownJobError, match="clientInventory"):
        find_job("traffic")
