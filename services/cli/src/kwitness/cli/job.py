"""`kwitness job run`: runs one analysis on this machine, over the topics of a Kafka cluster, into a Delta table."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kwitness.cli.arguments import Arguments
from kwitness.cli.client_properties import connection, read_properties
from kwitness.cli.failure import CommandFailedError
from kwitness.cli.job_configuration import JobOptions, job_config
from kwitness.cli.job_process import JARS, require_spark, run_driver, show_table
from kwitness.cli.job_reads import GivenInputs, needs_cluster
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.contracts.resources.analyses import JOB_TYPES

ABOUT = SUBCOMMANDS["job"].about


def run(arguments: Sequence[str]) -> int:
    """Run the job, and print its table.

    Raises
    ------
    CommandFailedError
        Something it needs is not there, an option is wrong, or the job failed.
    """
    given = parser().parse_args(arguments)
    variables = require_spark(given.jars)
    if given.memory:
        variables["KWITNESS_SPARK_DRIVER_MEMORY"] = given.memory
    properties = read_properties(given.config) if given.config else {}
    # Passwords are in it while the job runs.
    with tempfile.TemporaryDirectory(prefix="kwitness-job-") as name:
        folder = Path(name)
        options = JobOptions(
            type=given.type,
            folder=given.table,
            prefix=given.prefix,
            cluster_id=given.cluster_id,
            parameters=given.parameter,
            window=given.window,
            streaming=given.streaming,
            trigger=given.trigger,
            reads=GivenInputs(
                given.input,
                given.owners,
                given.rate_card,
                _second(given, folder),
                given.target_prefix,
                given.target_cluster_id,
            ),
        )
        needless = not needs_cluster(given.type) and not given.bootstrap and not given.config
        where = {"bootstrap_servers": ()} if needless else connection(properties, given.bootstrap, folder)
        config = job_config(options, where)
        if "://" not in given.table:
            _make(Path(given.table))
        run_driver(config.model_dump_json(), folder, variables, verbose=given.verbose)
    return show_table(given.type, config.table_path)


def _second(given: argparse.Namespace, folder: Path) -> dict[str, Any] | None:
    """How the driver connects to the cluster of a mirror, if one is named."""
    if not given.target_bootstrap and not given.target_config:
        return None
    properties = read_properties(given.target_config) if given.target_config else {}
    own = folder / "target"
    own.mkdir()
    return connection(
        properties, given.target_bootstrap, own, option="--target-bootstrap HOST:PORT", file="--target-config"
    )


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandFailedError(
            f"{folder} cannot be made ({error.strerror}): name another folder by --table"
        ) from error


def parser() -> Arguments:
    """Return the parser of its arguments."""
    whole = Arguments(
        prog="kwitness job",
        description=f"{ABOUT} A run that ends reads all that the topics hold and was not read before.",
    )
    whole.add_argument("what", choices=("run",), metavar="run", help="Run the analysis.")
    whole.add_argument("type", metavar="TYPE", choices=JOB_TYPES, help="Analysis, as type of an AnalyticsJob.")
    whole.add_argument("--bootstrap", metavar="HOST:PORT", help="Brokers to begin with, separated by commas.")
    whole.add_argument(
        "--table", metavar="FOLDER", required=True, help="Folder of table, checkpoint and quarantine; made if absent."
    )
    whole.add_argument("--prefix", default="kwitness", help="Prefix of the topics; by default kwitness.")
    whole.add_argument(
        "--cluster-id", default="", metavar="ID", help="Id of the cluster; a table of another one is refused."
    )
    whole.add_argument(
        "--parameter",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="Parameter of the type as in an AnalyticsJob, such as forgetAfter=48h; lists as JSON.",
    )
    whole.add_argument("--window", default="5m", metavar="DURATION", help="Length of windows; by default 5m.")
    whole.add_argument("--config", metavar="FILE", help="Client properties of Kafka, for TLS and passwords.")
    whole.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="TYPE=FOLDER",
        help="Folder of another job that this one reads, such as Traffic=/data/traffic.",
    )
    whole.add_argument("--owners", default="", metavar="FILE", help="Owners of clients and topics, as in owners.yaml.")
    whole.add_argument("--rate-card", default="", metavar="FILE", help="Prices, as in rate-card.yaml.")
    whole.add_argument("--target-bootstrap", metavar="HOST:PORT", help="Brokers of a mirror's cluster.")
    whole.add_argument("--target-config", metavar="FILE", help="Client properties for a mirror's cluster.")
    whole.add_argument("--target-prefix", default="kwitness", help="Prefix of a mirror's topics; by default kwitness.")
    whole.add_argument("--target-cluster-id", default="", metavar="ID", help="Id of a mirror's cluster.")
    whole.add_argument("--streaming", action="store_true", help="Run until interrupted.")
    whole.add_argument(
        "--trigger", default="10s", metavar="DURATION", help="Time between batches of --streaming; by default 10s."
    )
    whole.add_argument(
        "--jars", metavar="FOLDER", help=f"Folders of jars that PySpark lacks, as in PATH; by default {JARS}."
    )
    whole.add_argument("--memory", metavar="SIZE", help="Heap of Spark, as Java writes it; by default 512m.")
    whole.add_argument("--verbose", action="store_true", help="Show Spark's output as well.")
    return whole
