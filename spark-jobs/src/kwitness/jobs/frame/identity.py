"""Of which cluster, job and runs a checkpoint and its tables are: a small file beside them, which drivers keep."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kwitness.contracts.job_config import JobConfig
from kwitness.jobs.frame.checkpoint import Checkpoint
from kwitness.jobs.frame.hadoop_files import HadoopFiles

#: Runs that are remembered, the latest ones.
MAX_RUNS = 100


class IdentityError(ValueError):
    """What is there is another job's, or another cluster's.

    Parameters
    ----------
    reason
        One of the reasons of AnalyticsJob.
    message
        What is there, and what to do.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class RunRecord(BaseModel):
    """How a run ended."""

    model_config = ConfigDict(frozen=True)

    outcome: Literal["Succeeded", "Failed"]
    ended_ms: int
    reason: str | None = None


class Identity(BaseModel):
    """The file's content.

    Attributes
    ----------
    checkpoint
        Another one for each checkpoint: offsets and batch numbers mean something only together with it.
    topics
        What is read, sorted; empty where a version before this one wrote the file.
    runs
        By id, runs of `once` that have ended.
    """

    model_config = ConfigDict(frozen=True)

    cluster_id: str
    job_uid: str
    type: str
    job_version: int
    checkpoint: str
    topics: tuple[str, ...] = ()
    runs: Mapping[str, RunRecord] = Field(default_factory=dict)

    def with_run(self, run: str, record: RunRecord) -> Identity:
        """The identity after a run; of too many runs the oldest are forgotten."""
        runs = sorted({**self.runs, run: record}.items(), key=lambda one: one[1].ended_ms)
        return self.model_copy(update={"runs": dict(runs[-MAX_RUNS:])})

    def has_succeeded(self, run: str) -> bool:
        """Whether a run of this id ended well, so that it is not to run again."""
        return bool(run) and run in self.runs and self.runs[run].outcome == "Succeeded"


class Claim(NamedTuple):
    """Who a driver is; a checkpoint that it makes gets the name `new_checkpoint`."""

    cluster_id: str
    job_uid: str
    type: str
    job_version: int
    new_checkpoint: str
    topics: tuple[str, ...] = ()


class Claimed(NamedTuple):
    """The file's content now, and what became of another version's checkpoint; None where there is nothing to tell."""

    identity: Identity
    note: str | None


def claimed(found: Identity | None, claim: Claim, *, has_checkpoint: bool) -> Identity:
    """What the file says once a driver has made the folder its own.

    A job that was deleted and made again goes on with what is there, and has run nothing yet.

    Raises
    ------
    IdentityError
        `ClusterIdChanged`: positions are another cluster's. `Conflict`: the tables are of another type.
    """
    if found is not None and found.type != claim.type:
        raise IdentityError(
            "Conflict",
            f"table and checkpoint here are of a job of type {found.type}: give this one, of type {claim.type}, "
            "another name, or remove the folder",
        )
    if found is not None and found.cluster_id != claim.cluster_id:
        raise IdentityError(
            "ClusterIdChanged",
            f"table and checkpoint here are of the cluster {found.cluster_id}, and the job reads {claim.cluster_id}: "
            "their offsets mean nothing there. Give the job another name, or remove the folder with all that is in it",
        )
    same = found is not None and found.job_uid in {"", claim.job_uid}
    return Identity(
        cluster_id=claim.cluster_id,
        job_uid=claim.job_uid,
        type=claim.type,
        job_version=claim.job_version,
        checkpoint=found.checkpoint if found is not None and has_checkpoint else claim.new_checkpoint,
        topics=claim.topics,
        runs=found.runs if found is not None and same else {},
    )


def reads_other_topics(found: Identity | None, claim: Claim) -> bool:
    """Whether a checkpoint is of other topics than are read now: Spark cannot go on with it."""
    return found is not None and bool(found.topics) and found.topics != claim.topics


class IdentityFile:
    """The file of one job's configuration.

    Parameters
    ----------
    config
        Its `identity_path` may be empty: then nothing is checked or remembered.
    topics
        The names of the topics that the job reads.
    """

    def __init__(self, files: HadoopFiles, config: JobConfig, job_version: int, topics: Iterable[str] = ()) -> None:
        self._files = files
        self._config = config
        self._job_version = job_version
        self._topics = tuple(sorted(topics))

    def claim(self) -> Claimed:
        """Make the folder this job's own.

        A checkpoint of other topics is removed: tables know to where they were read, so nothing is lost or doubled.

        Raises
        ------
        IdentityError
            It is another's, or the file cannot be read.
        """
        config = self._config
        found = self._read()
        has_checkpoint = Checkpoint(self._files, config.checkpoint_path).exists()
        new = uuid.uuid4().hex
        claim = Claim(config.cluster_id, config.uid, config.type, self._job_version, new, self._topics)
        moves = has_checkpoint and reads_other_topics(found, claim)
        identity = claimed(found, claim, has_checkpoint=has_checkpoint and not moves)
        if moves:
            self._files.remove(config.checkpoint_path)
        if identity != found:
            self._write(identity)
        return Claimed(identity, _note(found, claim, has_checkpoint=has_checkpoint))

    def remember(self, record: RunRecord) -> None:
        """Write how the run with this configuration's id ended; one without an id may run again."""
        run, found = self._config.run.id, self._read()
        if run and found is not None:
            self._write(found.with_run(run, record))

    def _read(self) -> Identity | None:
        path = self._config.identity_path
        if not path or not self._files.exists(path):
            return None
        try:
            return Identity.model_validate_json(self._files.read_text(path))
        except ValidationError as error:
            raise IdentityError(
                "Failed",
                f"{path} cannot be read ({error.error_count()} errors): remove it if table and checkpoint beside it "
                "are this job's",
            ) from None

    def _write(self, identity: Identity) -> None:
        if self._config.identity_path:
            text = json.dumps(identity.model_dump(mode="json", exclude_none=True), indent=2)
            self._files.replace_text(self._config.identity_path, text)


def _note(found: Identity | None, claim: Claim, *, has_checkpoint: bool) -> str | None:
    if found is None or not has_checkpoint:
        return None
    if reads_other_topics(found, claim):
        return (
            f"has a new checkpoint, since it reads {', '.join(claim.topics)} now, and not {', '.join(found.topics)}; "
            "what the table has is not read into it again"
        )
    if found.job_version != claim.job_version:
        versions = f"version {found.job_version} of the job; this is version {claim.job_version}"
        return f"goes on with the checkpoint of {versions}"
    return None
