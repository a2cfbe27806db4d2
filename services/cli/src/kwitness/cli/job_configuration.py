"""Makes the file that a driver reads, a `kwitness.contracts.job_config.JobConfig`, of the options of `jobs run`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from kwitness.answers.failure import CommandFailedError
from kwitness.cli.job_reads import GivenInputs, fields_of_inputs, parameters_of_inputs

_MOST_CORES = 4


class JobOptions(NamedTuple):
    """What a person asks for.

    Attributes
    ----------
    folder
        Of table, checkpoint and quarantine; a path, or an address as Spark takes it.
    parameters
        As `name=value`, each name as in the resource, each value as JSON or plain text.
    window
        A duration, such as 5m.
    reads
        What it reads besides topics.
    """

    type: str
    folder: str
    prefix: str = "kwitness."
    cluster_id: str = ""
    parameters: Sequence[str] = ()
    window: str = "5m"
    streaming: bool = False
    trigger: str = "10s"
    reads: GivenInputs = GivenInputs()


def job_config(options: JobOptions, connection: Mapping[str, Any]) -> Any:
    """Return the configuration of a driver in a process of its own.

    Raises
    ------
    CommandFailedError
        An option says something that the job does not take.
    """
    # Imported here: the subcommand is listed where pydantic is not installed.
    from pydantic import ValidationError  # noqa: PLC0415

    from kwitness.contracts.job_config import JobConfig, JobTopics, job_paths  # noqa: PLC0415
    from kwitness.contracts.kafka_releases import KAFKA_RELEASES  # noqa: PLC0415
    from kwitness.contracts.resources.analyses import BATCH_JOB_TYPES, JOB_TYPES  # noqa: PLC0415

    if options.type not in JOB_TYPES:
        raise CommandFailedError(f"there is no job of type {options.type}: name one of {', '.join(JOB_TYPES)}")
    if options.streaming and options.type in BATCH_JOB_TYPES:
        raise CommandFailedError(f"--streaming: {options.type} reads what is there and ends; leave it out")
    reads = options.reads._replace(second_prefix=_prefix(options.reads.second_prefix))
    paths = job_paths(address(options.folder).rstrip("/"))
    if not options.cluster_id:
        # What remembers the cluster is of use only where one is named.
        paths = paths._replace(identity_path="")
    found = fields_of_inputs(options.type, reads)
    shared = set(connection["bootstrap_servers"]) & set((reads.second or {}).get("bootstrap_servers", ()))
    if shared and reads.second_prefix == _prefix(options.prefix):
        raise CommandFailedError("--target-bootstrap is the source itself: name the cluster of the mirror")
    parameters = _parameters(options.type, options.parameters, parameters_of_inputs(options.type, reads))
    if "Team" in parameters.get("group_by", ()) and not reads.owners:
        raise CommandFailedError("--parameter groupBy: Team is known of owners alone: give --owners FILE")
    if options.type == "UpgradeImpact" and parameters["target"] not in KAFKA_RELEASES:
        raise CommandFailedError(
            f"--parameter target: this version does not know Kafka {parameters['target']}: name one of"
            f" {', '.join(KAFKA_RELEASES)}"
        )
    fields: dict[str, Any] = {
        "type": options.type,
        "cluster_id": options.cluster_id,
        "kafka": dict(connection),
        "topics": JobTopics.with_prefix(_prefix(options.prefix)),
        "run": {
            "mode": "streaming" if options.streaming else "once",
            "trigger_seconds": _seconds("trigger", options.trigger),
        },
        **paths._asdict(),
        **found,
        "parameters": parameters,
        "window_seconds": _seconds("window", options.window),
        "status_port": 0,
        "executors": {"instances": 0, "cores": min(_MOST_CORES, os.cpu_count() or 1)},
        "storage": _storage(paths.table_path, os.environ),
    }
    try:
        return JobConfig.model_validate(fields)
    except ValidationError as error:
        raise CommandFailedError(f"the job cannot be configured so: {_told(error)}") from error


def address(folder: str) -> str:
    """Return a folder as Spark takes it: a path as a URI, an address as it is, but for what Hadoop calls `s3a`."""
    if folder.startswith("s3://"):
        return f"s3a{folder.removeprefix('s3')}"
    return folder if "://" in folder else Path(folder).resolve().as_uri()


def _storage(path: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Where an object store is, by the variables that its own tools read; they read keys from there themselves."""
    if not path.startswith("s3a://"):
        return {}
    names = {"endpoint": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"), "region": ("AWS_REGION", "AWS_DEFAULT_REGION")}
    found = {field: next(filter(None, map(environment.get, several)), None) for field, several in names.items()}
    return {field: value for field, value in found.items() if value}


def _prefix(prefix: str) -> str:
    # Topics are `kwitness.traffic`; who says `kwitness` means the same.
    return prefix if not prefix or prefix[-1] in ".-_" else f"{prefix}."


def _seconds(option: str, text: str) -> float:
    from kwitness.contracts.resources.durations import parse_duration  # noqa: PLC0415

    try:
        return parse_duration(text).total_seconds()
    except ValueError as error:
        raise CommandFailedError(f"--{option}: {error}") from error


def _parameters(job_type: str, pairs: Sequence[str], found: Mapping[str, Any]) -> dict[str, Any]:
    from pydantic import ValidationError  # noqa: PLC0415

    from kwitness.contracts.resources.analytics_parameters import Parameters  # noqa: PLC0415
    from kwitness.contracts.spelling import word_of  # noqa: PLC0415

    name = word_of(job_type)
    attribute = next((one for one, field in Parameters.model_fields.items() if field.alias == name), "")
    given = dict(_pair(text) for text in pairs)
    # Of a resource the API server drops what is not known; here it would be a slip of the hand.
    kinds = get_args(Parameters.model_fields[attribute].annotation) if attribute in Parameters.model_fields else ()
    fields = [field for kind in kinds if kind is not type(None) for field in kind.model_fields.items()]
    known = [field.alias or one for one, field in fields]
    if unknown := sorted(set(given) - set(known)):
        raise CommandFailedError(f"--parameter {unknown[0]}: {job_type} takes {', '.join(known) or 'no parameter'}")
    try:
        told = {**found, **given}
        # A type that cannot do without settings says which are missing.
        needs = any(field.is_required() for _, field in fields)
        whole = Parameters.model_validate({name: told} if told or needs else {})
    except ValidationError as error:
        raise CommandFailedError(f"--parameter: {_told(error)}") from error
    of_type = getattr(whole, attribute, None)
    return {} if of_type is None else dict(of_type.model_dump(mode="json", exclude_none=True))


def _pair(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise CommandFailedError(f"--parameter {text} has no `=` between name and value: write forgetAfter=48h, say")
    try:
        found = json.loads(value)
    except ValueError:
        return name, value
    # No setting is a fraction: 4.4 is a release.
    return name, value if isinstance(found, float) else found


def _told(error: Any) -> str:
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5])
