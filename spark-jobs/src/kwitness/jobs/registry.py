"""The job types that are there, by the `spec.type` of AnalyticsJob. A new job is one file and one line here."""

from __future__ import annotations

from importlib import import_module

from kwitness.jobs.job import Job

_MODULES = {
    "ClientInventory": "kwitness.jobs.client_inventory",
}


class UnknownJobError(ValueError):
    """There is no job of this type in this version."""


def job_types() -> tuple[str, ...]:
    """The types that can be run, sorted."""
    return tuple(sorted(_MODULES))


def find_job(job_type: str) -> Job:
    """The job of a type; its module is imported only now.

    Raises
    ------
    UnknownJobError
        There is none.
    """
    try:
        module = _MODULES[job_type]
    except KeyError:
        raise UnknownJobError(
            f"job type {job_type!r} is not in this version: use one of {', '.join(job_types())}, or upgrade kwitness"
        ) from None
    job = import_module(module).JOB
    assert isinstance(job, Job)  # noqa: S101 - a mistake in this table, not in anybody's input
    return job
