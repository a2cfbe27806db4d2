"""Arguments and options that name something: an empty name is refused, and a shell completes those that exist."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from kwitness.cli.completed_names import Completer, names_of, resources_of
from kwitness.contracts.endpoints import CLIENTS_PATH

__all__ = ["ClientArgument", "ClusterArgument", "ClusterOption", "job_option", "named"]


def _not_empty(name: str | None) -> str | None:
    if name is not None and not name.strip():
        raise typer.BadParameter("it is empty")
    return name


def named(metavar: str, text: str, complete: Completer | None = None) -> Any:
    """Return the argument that names something, if any; an empty name is refused."""
    return typer.Argument(metavar=metavar, help=text, callback=_not_empty, autocompletion=complete)


def job_option(text: str) -> Any:
    """Return the option that names an AnalyticsJob."""
    complete = resources_of("AnalyticsJob")
    return typer.Option("--job", metavar="[NAMESPACE/]NAME", help=text, autocompletion=complete)


_complete_cluster = resources_of("KafkaCluster")
ClientArgument = Annotated[
    str, named("CLIENT", "Client id, instance id, or a prefix of one.", names_of(CLIENTS_PATH, "client_id"))
]
ClusterArgument = Annotated[
    str | None,
    named("[KAFKACLUSTER]", "KafkaCluster, or NAMESPACE/NAME; by default the only one.", _complete_cluster),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        metavar="[NAMESPACE/]NAME",
        help="KafkaCluster to ask; by default the only one.",
        autocompletion=_complete_cluster,
    ),
]
