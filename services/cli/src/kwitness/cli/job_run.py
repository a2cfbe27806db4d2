"""`kwitness jobs run`: runs one analysis on this machine, over the topics of a Kafka cluster, into a Delta table."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from kwitness.answers.failure import CommandFailedError
from kwitness.cli.client_properties import connection, read_properties
from kwitness.cli.job_configuration import JobOptions, job_config
from kwitness.cli.job_process import JARS, require_spark, run_driver, show_table
from kwitness.cli.job_reads import GivenInputs, needs_cluster
from kwitness.cli.options import Options, shared
from kwitness.cli.output import Output
from kwitness.contracts.resources.analyses import JOB_TYPES

__all__ = ["run_job"]


def _checked_type(name: str) -> str:
    if name not in JOB_TYPES:
        raise typer.BadParameter(f"'{name}' is not one of {', '.join(JOB_TYPES)}.")
    return name


def _types(incomplete: str) -> list[str]:
    return [name for name in JOB_TYPES if name.startswith(incomplete)]


def _text(option: str, metavar: str, text: str) -> Any:
    return typer.Option(option, metavar=metavar, help=text, show_default=False)


_TYPE: Final = typer.Argument(
    metavar="TYPE", help="Analysis, as type of an AnalyticsJob.", callback=_checked_type, autocompletion=_types
)


@shared
def run_job(
    options: Options,
    *,
    job_type: Annotated[str, _TYPE],
    table: Annotated[str, _text("--table", "FOLDER", "Folder of table, checkpoint and quarantine; made if absent.")],
    bootstrap: Annotated[
        str | None, _text("--bootstrap", "HOST:PORT", "Brokers to begin with, separated by commas.")
    ] = None,
    prefix: Annotated[str, _text("--prefix", "TEXT", "Prefix of the topics; by default kwitness.")] = "kwitness",
    cluster_id: Annotated[
        str, _text("--cluster-id", "ID", "Id of the cluster; a table of another one is refused.")
    ] = "",
    parameter: Annotated[
        list[str] | None,
        _text(
            "--parameter",
            "NAME=VALUE",
            "Parameter of the type as in an AnalyticsJob, such as forgetAfter=48h; lists as JSON.",
        ),
    ] = None,
    window: Annotated[str, _text("--window", "DURATION", "Length of windows; by default 5m.")] = "5m",
    config: Annotated[
        str | None, _text("--config", "FILE", "Client properties of Kafka, for TLS and passwords.")
    ] = None,
    inputs: Annotated[
        list[str] | None,
        _text("--input", "TYPE=FOLDER", "Folder of another job that this one reads, such as Traffic=/data/traffic."),
    ] = None,
    owners: Annotated[str, _text("--owners", "FILE", "Owners of clients and topics, as in owners.yaml.")] = "",
    rate_card: Annotated[str, _text("--rate-card", "FILE", "Prices, as in rate-card.yaml.")] = "",
    target_bootstrap: Annotated[
        str | None, _text("--target-bootstrap", "HOST:PORT", "Brokers of a mirror's cluster.")
    ] = None,
    target_config: Annotated[
        str | None, _text("--target-config", "FILE", "Client properties for a mirror's cluster.")
    ] = None,
    target_prefix: Annotated[
        str, _text("--target-prefix", "TEXT", "Prefix of a mirror's topics; by default kwitness.")
    ] = "kwitness",
    target_cluster_id: Annotated[str, _text("--target-cluster-id", "ID", "Id of a mirror's cluster.")] = "",
    streaming: Annotated[bool, typer.Option("--streaming", help="Run until interrupted.")] = False,
    trigger: Annotated[
        str, _text("--trigger", "DURATION", "Time between batches of --streaming; by default 10s.")
    ] = "10s",
    jars: Annotated[
        str | None,
        _text("--jars", "FOLDER", f"Folders of jars that PySpark lacks, as in PATH; by default {JARS}."),
    ] = None,
    memory: Annotated[
        str | None, _text("--memory", "SIZE", "Heap of Spark, as Java writes it; by default 512m.")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Show Spark's output as well.")] = False,
) -> None:
    """Run an analysis on this machine, into a table.

    It shows the table. A run that ends reads all that the topics hold and was not read before.
    """
    variables = require_spark(jars)
    if memory:
        variables["KWITNESS_SPARK_DRIVER_MEMORY"] = memory
    properties = read_properties(config) if config else {}
    # Passwords are in it while the job runs.
    with tempfile.TemporaryDirectory(prefix="kwitness-job-") as name:
        folder = Path(name)
        second = _second(target_bootstrap, target_config, folder)
        chosen = JobOptions(
            type=job_type,
            folder=table,
            prefix=prefix,
            cluster_id=cluster_id,
            parameters=parameter or (),
            window=window,
            streaming=streaming,
            trigger=trigger,
            reads=GivenInputs(inputs or (), owners, rate_card, second, target_prefix, target_cluster_id),
        )
        needless = not needs_cluster(job_type) and not bootstrap and not config
        where = {"bootstrap_servers": ()} if needless else connection(properties, bootstrap, folder)
        driver_config = job_config(chosen, where)
        if "://" not in table:
            _make(Path(table))
        run_driver(driver_config.model_dump_json(), folder, variables, verbose=verbose)
    show_table(Output(options), job_type, driver_config.table_path)


def _second(bootstrap: str | None, config: str | None, folder: Path) -> dict[str, Any] | None:
    """How the driver connects to the cluster of a mirror, if one is named."""
    if not bootstrap and not config:
        return None
    properties = read_properties(config) if config else {}
    own = folder / "target"
    own.mkdir()
    return connection(properties, bootstrap, own, option="--target-bootstrap HOST:PORT", file="--target-config")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandFailedError(
            f"{folder} cannot be made ({error.strerror}): name another folder by --table"
        ) from error
