"""Tells apart the settings of a job that its rows follow from, so that rows of other settings are computed again."""

from __future__ import annotations

import hashlib
import json

from kwitness.jobs.frame.job import Job, JobInput


def digest_of(job: Job, job_input: JobInput) -> str:
    """SHA-256, in hexadecimal digits, of a job's version, parameters, owners and rate card."""
    models = {"parameters": job_input.parameters, "owners": job_input.owners, "rate_card": job_input.rate_card}
    settings = {name: None if model is None else model.model_dump(mode="json") for name, model in models.items()}
    text = json.dumps({"computed_by": job.computed_by, **settings}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
