"""From the `type` of an analysis to its job: the folder of that name has a module `job` with a `JOB`."""

from __future__ import annotations

import re
from importlib import import_module

from kwitness.contracts.resources.analyses import JOB_TYPES
from kwitness.jobs.frame.job import Job


class UnknownJobError(ValueError):
    """There is no job of this type in this version."""


def find_job(job_type: str) -> Job:
    """The job of a type; its module is imported only now.

    Raises
    ------
    UnknownJobError
        There is none.
    """
    if job_type not in JOB_TYPES:
        raise UnknownJobError(
            f"job type {job_type!r} is not in this version: use one of {', '.join(JOB_TYPES)}, or upgrade kwitness"
        )
    folder = re.sub("(?<=[a-z])(?=[A-Z])", "_", job_type).lower()
    job = import_module(f"kwitness.jobs.analyses.{folder}.job").JOB
    assert isinstance(job, Job)  # noqa: S101 - a mistake in that module, not in anybody's input
    return job
