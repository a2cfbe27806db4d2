"""`kwitness why`: everything that is known about one client, in plain sentences."""

from __future__ import annotations

from collections.abc import Sequence

from kwitness.answers.access.client_stories import client_stories
from kwitness.answers.access.routes import questions_to
from kwitness.answers.views.client_stories import Story
from kwitness.cli.named_arguments import ClientArgument, ClusterOption
from kwitness.cli.options import Options, new_app, shared
from kwitness.cli.output import Output, warn
from kwitness.cli.progress import working
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.contracts.plain_text import plain_text

__all__ = ["app", "show_pages"]

app = new_app(SUBCOMMANDS["why"].about)


@app.command()
@shared
def why(
    options: Options,
    *,
    client: ClientArgument,
    cluster: ClusterOption = None,
) -> None:
    """Explain the state of a client: its subscriptions, pushes and connections, and what to do.

    Its own values are those that alerts on clients use; thresholds are in the chart's values. Observers are asked for
    its connections, which takes some seconds. Ends of connections and statistics of librdkafka are what observers and
    interceptors counted of its client id.
    """
    with questions_to(options, cluster) as questions:
        lacks: list[str] = []
        try:
            with working("asks observers for its connections"):
                pages = client_stories(questions, client, lacks.append)
        finally:
            for lack in lacks:
                warn(lack)
    show_pages(Output(options), pages)


def show_pages(output: Output, pages: Sequence[Story]) -> None:
    """Write pages: a title, then sections of sentences."""
    from rich.text import Text  # noqa: PLC0415 - as in output

    if not output.is_table:
        output.document(
            {"items": [page.document() for page in pages]},
            rows=[
                {"title": page.title, "heading": one.heading, "sentence": sentence}
                for page in pages
                for one in page.sections
                for sentence in one.sentences
            ],
            names=[page.name for page in pages],
        )
        return
    for index, page in enumerate(pages):
        if index:
            print()
        output.write(Text(plain_text(page.title), style="bold"))
        for section in page.sections:
            print()
            output.write(Text(section.heading, style="bold"))
            for sentence in section.sentences:
                output.write(Text(f"  {plain_text(sentence)}"))
