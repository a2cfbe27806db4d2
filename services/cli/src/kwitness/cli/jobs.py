"""`kwitness jobs`: AnalyticsJobs, as their statuses say, and analyses that run on this machine."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer

from kwitness.answers.access.cluster_access import connect
from kwitness.answers.access.serving_collector import parsed
from kwitness.answers.tables.job_tables import find_job
from kwitness.answers.views.client_stories import Story
from kwitness.answers.views.job_rows import JOB_HEADINGS, job_cells, job_story
from kwitness.cli.columns import columns_of, row_of
from kwitness.cli.completed_names import resources_of
from kwitness.cli.job_run import run_job
from kwitness.cli.named_arguments import named
from kwitness.cli.options import Options, new_app, shared
from kwitness.cli.output import Output
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.cli.why import show_pages
from kwitness.contracts.resources.analytics_job import AnalyticsJob

__all__ = ["app"]

_OPTIONAL: Final = frozenset({"TABLE", "TYPE", "READY"})

app = new_app(SUBCOMMANDS["jobs"].about, invoke_without_command=True)

Everywhere = Annotated[bool, typer.Option("--all-namespaces", "-A", help="List all namespaces.")]


@app.callback()
@shared
def jobs(options: Options, *, ctx: typer.Context, everywhere: Everywhere = False) -> None:
    """Show AnalyticsJobs; by default all of the namespace."""
    if ctx.invoked_subcommand is None:
        _list(options, everywhere=everywhere)


@app.command("list")
@shared
def list_jobs(
    options: Options,
    *,
    everywhere: Everywhere = False,
) -> None:
    """Show a line for each job of the namespace."""
    _list(options, everywhere=everywhere)


def _list(options: Options, *, everywhere: bool) -> None:
    access = connect(options)
    namespace = None if everywhere else access.namespace
    items = access.items("AnalyticsJob", namespace)
    now_ms = int(time.time() * 1000)
    Output(options).show(
        items,
        columns_of(JOB_HEADINGS, optional=_OPTIONAL),
        lambda one: row_of(JOB_HEADINGS, job_cells(parsed(AnalyticsJob, one), now_ms)),
        document=_document,
        empty="there are no AnalyticsJobs" + ("" if everywhere else f" in namespace {namespace}; -A shows all"),
    )


@app.command()
@shared
def describe(
    options: Options, *, name: Annotated[str, named("NAME", "Name of the AnalyticsJob.", resources_of("AnalyticsJob"))]
) -> None:
    """Show one job: its last run, losses and findings."""
    access = connect(options)
    found = find_job(access, name)
    output = Output(options)
    if not output.is_table:
        output.document(_document(found))
        return
    job = parsed(AnalyticsJob, found)
    title = f"AnalyticsJob {job.metadata.namespace}/{job.metadata.name}"
    show_pages(output, [Story(title, job_story(job, int(time.time() * 1000)), {}, job.metadata.name)])


app.command("run")(run_job)


def _document(job: Mapping[str, Any]) -> Any:
    """As the API server has it, without what it keeps for itself."""
    metadata = {name: value for name, value in job["metadata"].items() if name != "managedFields"}
    return {**job, "metadata": metadata}
