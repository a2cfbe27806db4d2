"""`kwitness why`: everything that is known about one client, in plain sentences."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from kwitness.answers.access.questions import Questions, Selection
from kwitness.answers.access.routes import questions_to
from kwitness.answers.failure import CommandFailedError
from kwitness.answers.views.advice import missing_text
from kwitness.answers.views.choosing import choose_silent
from kwitness.answers.views.client_state import state_of
from kwitness.answers.views.client_story import (
    Section,
    Sighting,
    story_of,
    story_of_connections,
    story_of_counts,
    story_of_silent,
)
from kwitness.cli.lookup import all_silent, find, unknown_client
from kwitness.cli.named_arguments import ClientArgument, ClusterOption
from kwitness.cli.options import Options, new_app, shared
from kwitness.cli.output import Output, warn
from kwitness.cli.progress import working
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.contracts.envelopes import ClientItem, ClientMetricValue, ConnectionItem, CountedValue, SilentItem
from kwitness.contracts.plain_text import plain_text

__all__ = ["app", "show_pages"]

_PAGES: Final = 5

app = new_app(SUBCOMMANDS["why"].about)


class Page(NamedTuple):
    """The story of one instance, and the answers that it was told from."""

    title: str
    sections: Sequence[Section]
    answers: dict[str, Any]
    name: str | None


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
        pages = _pages(questions, client)
    show_pages(Output(options), pages)


def _pages(questions: Questions, name: str) -> list[Page]:
    found = find(questions, name)
    if found.missing:
        warn(missing_text(found.missing))
    everybody = all_silent(questions)
    silent = choose_silent(everybody, name)
    ids = [*(one.client_id for one in found.clients), *(one.client_id for one in silent)]
    client_id = next((one for one in ids if one), name)
    with working("asks observers for its connections"):
        connections, counted = _connections(questions, client_id)
    now_ms = int(time.time() * 1000)
    sighting = Sighting(connections=connections, counted=counted)
    if found.clients:
        chosen = sorted(found.clients, key=lambda one: one.last_push_ms or 0)[:_PAGES]
        if left := len(found.clients) - len(chosen):
            warn(f"{left} more instances of {plain_text(client_id)} are not shown: name one by its instance id")
        return [
            _page(questions, one, silent, Sighting(connections=connections, counted=counted), now_ms) for one in chosen
        ]
    if silent:
        sighting = Sighting(connections=connections, counted=counted)
        return [
            Page(
                one.client_id or name,
                story_of_silent(one, sighting, now_ms),
                {"silent": one.model_dump(mode="json", exclude_none=True)},
                one.client_instance_id or one.client_id,
            )
            for one in silent[:_PAGES]
        ]
    if connections:
        shown = [one.model_dump(mode="json", exclude_none=True) for one in connections]
        reason = _of_software(everybody, connections[0])
        story = story_of_connections(client_id, sighting._replace(silent=reason), now_ms)
        return [Page(client_id, story, {"connections": shown}, client_id)]
    if counted:
        shown = [value.model_dump(mode="json") for value in counted]
        story = story_of_counts(client_id, sighting, now_ms)
        return [Page(client_id, story, {"counted": shown}, client_id)]
    raise unknown_client(name, everybody, found.missing)


def _page(
    questions: Questions,
    client: ClientItem,
    silent: Sequence[SilentItem],
    seen: Sighting,
    now_ms: int,
) -> Page:
    instance = client.client_instance_id
    # An observer may know that a client of this id is silent, and not which instance it is.
    pushes = state_of(client, now_ms) in {"Pushing", "Ended"}
    reason = next(
        (
            one
            for one in silent
            if one.client_instance_id == instance or (one.client_instance_id is None and not pushes)
        ),
        None,
    )
    own = [connection for connection in seen.connections if connection.client_address in {client.client_address, None}]
    # Those of another pod are of another instance; some are known by workload or client id alone.
    counted = [value for value in seen.counted if not client.k8s_pod or _pod_of(value) in {client.k8s_pod, None}]
    values = _values(questions, instance)
    return Page(
        f"{client.client_id or 'a client without an id'} {instance}",
        story_of(client, Sighting(values, reason, own, counted), now_ms),
        {"client": client.model_dump(mode="json", exclude_none=True)},
        instance,
    )


def _of_software(silent: Sequence[SilentItem], connection: ConnectionItem) -> SilentItem | None:
    """Why the software of a connection is silent, where brokers say it of all of it."""
    software = (connection.client_software_name, connection.client_software_version)
    return next(
        (
            one
            for one in silent
            if one.client_id is None
            and one.client_instance_id is None
            and (one.client_software_name, one.client_software_version) == software
        ),
        None,
    )


def _values(questions: Questions, instance: str | None) -> Sequence[ClientMetricValue]:
    if instance is None:
        return ()
    try:
        answer = questions.metrics(instance)
    except CommandFailedError as error:
        warn(str(error))
        return ()
    return () if answer is None else answer.metrics


def _pod_of(value: CountedValue) -> str | None:
    return value.labels.get("k8s_pod")


def _connections(questions: Questions, client_id: str) -> tuple[Sequence[ConnectionItem], Sequence[CountedValue]]:
    try:
        answer = questions.connections(Selection({"client_id": client_id}))
    except CommandFailedError as error:
        warn(str(error))
        return (), ()
    return answer.items, answer.counted


def show_pages(output: Output, pages: Sequence[Page]) -> None:
    """Write pages: a title, then sections of sentences."""
    from rich.text import Text  # noqa: PLC0415 - as in output

    if not output.is_table:
        output.document(
            {
                "items": [
                    {**page.answers, "sections": {one.heading: list(one.sentences) for one in page.sections}}
                    for page in pages
                ]
            },
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
