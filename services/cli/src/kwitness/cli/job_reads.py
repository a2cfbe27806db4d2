"""What a job of `kwitness jobs run` reads besides topics: what an operator would find in the cluster, as options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kwitness.answers.failure import CommandFailedError

if TYPE_CHECKING:
    from kwitness.contracts.job_inputs import JobInputs

_LOCAL = "kwitness-local"
"""Name of what resources would be called that a job names and that are options here."""


class GivenInputs(NamedTuple):
    """What a person names.

    Attributes
    ----------
    tables
        As `Type=folder`: a folder as `--table` of another job took it, or a Delta table itself.
    owners, rate_card
        Files, as in the ConfigMaps; empty without one.
    second
        Connection to a second cluster, as the fields of `kwitness.contracts.kafka_connection.KafkaConnection`.
    """

    tables: Sequence[str] = ()
    owners: str = ""
    rate_card: str = ""
    second: Mapping[str, Any] | None = None
    second_prefix: str = "kwitness."
    second_cluster_id: str = ""


def fields_of_inputs(job_type: str, given: GivenInputs) -> dict[str, Any]:
    """Return the fields of `kwitness.contracts.job_config.JobConfig` for them.

    Raises
    ------
    CommandFailedError
        The job does not read what is given, lacks what it needs, or a file cannot be used.
    """
    # Imported here: the subcommand is listed where pydantic is not installed.
    from kwitness.contracts.job_config import JobTopics  # noqa: PLC0415
    from kwitness.contracts.owners import OwnerList, Owners  # noqa: PLC0415
    from kwitness.contracts.rate_card import RateCard  # noqa: PLC0415

    reads = _reads(job_type)
    tables = _tables(job_type, [one.type for one in reads.tables], given.tables)
    if lacking := [one.type for one in reads.tables if not one.optional and one.type not in tables]:
        raise CommandFailedError(f"{job_type} reads the table of {lacking[0]}: give --input {lacking[0]}=FOLDER")
    fields: dict[str, Any] = {"input_tables": tables}
    if given.owners:
        _require("--owners", job_type, is_read=reads.owners)
        fields["owners"] = OwnerList.from_file(_read("--owners", given.owners, Owners))
    if given.rate_card:
        _require("--rate-card", job_type, is_read=bool(reads.rate_card))
        fields["rate_card"] = _read("--rate-card", given.rate_card, RateCard)
    elif reads.rate_card:
        raise CommandFailedError(f"{job_type} needs to know what things cost: give --rate-card FILE")
    if given.second is not None:
        _require("--target-bootstrap", job_type, is_read=bool(reads.second_cluster))
        topics = JobTopics.with_prefix(given.second_prefix)
        fields["second"] = {"cluster_id": given.second_cluster_id, "kafka": dict(given.second), "topics": topics}
    elif reads.second_cluster:
        raise CommandFailedError(f"{job_type} compares two clusters: give --target-bootstrap HOST:PORT")
    return fields


def needs_cluster(job_type: str) -> bool:
    """Whether a job of a type reads topics of a Kafka cluster."""
    return _reads(job_type).topics


def parameters_of_inputs(job_type: str, given: GivenInputs) -> dict[str, Any]:
    """Return parameters that name in a cluster what options name here."""
    reads = _reads(job_type)
    named = {text.partition("=")[0] for text in given.tables}
    parameters: dict[str, Any] = {one.parameter: {"name": _LOCAL} for one in reads.tables if one.type in named}
    if reads.rate_card and given.rate_card:
        parameters[reads.rate_card] = {"name": _LOCAL}
    if reads.second_cluster and given.second is not None:
        parameters[reads.second_cluster] = {"clusterRef": {"name": _LOCAL}}
    return parameters


def _reads(job_type: str) -> JobInputs:
    from kwitness.contracts.job_inputs import JOB_INPUTS, JobInputs  # noqa: PLC0415

    return next((reads for name, reads in JOB_INPUTS.items() if name == job_type), JobInputs())


def _require(option: str, job_type: str, *, is_read: bool) -> None:
    if not is_read:
        raise CommandFailedError(f"{option}: {job_type} does not read that; leave it out")


def _tables(job_type: str, types: Sequence[str], pairs: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in pairs:
        name, separator, folder = text.partition("=")
        if not separator or not folder:
            raise CommandFailedError(f"--input {text}: give the type of a job and its folder, as Traffic=/data/traffic")
        if name not in types:
            takes = f"takes {', '.join(types)}" if types else "reads no other job's table"
            raise CommandFailedError(f"--input {text}: {job_type} {takes}")
        if name in found:
            raise CommandFailedError(f"--input {name} is given twice: leave one out")
        found[name] = _table(text, folder)
    return found


def _table(text: str, folder: str) -> str:
    if "://" in folder:
        address = folder.rstrip("/")
        return address if address.endswith("/table") else f"{address}/table"
    path = Path(folder).resolve()
    for table in (path, path / "table"):
        if (table / "_delta_log").is_dir():
            return table.as_uri()
    raise CommandFailedError(f"--input {text}: there is no Delta table; run that job first, or correct the path")


def _read(option: str, file: str, model: Any) -> Any:
    try:
        from kwitness.contracts.yaml_file import YamlFileError, read_yaml  # noqa: PLC0415
    except ImportError as error:
        raise CommandFailedError(f"{option}: PyYAML is needed to read {file}: `pip install PyYAML`") from error
    try:
        return read_yaml(model, Path(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise CommandFailedError(f"{option}: {file} cannot be read ({error}): correct the path") from error
    except YamlFileError as error:
        raise CommandFailedError(f"{option}: {file} cannot be used: {error}") from error
