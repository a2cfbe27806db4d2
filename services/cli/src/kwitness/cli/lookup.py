"""Which client a person means: instances that push, or those that do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kwitness.cli.failure import CommandFailedError
from kwitness.cli.output import warn
from kwitness.cli.questions import Questions
from kwitness.cli.views.advice import as_sentence, missing_text
from kwitness.cli.views.choosing import choose
from kwitness.cli.views.silence import explained
from kwitness.contracts.envelopes import ClientItem, SilentItem

__all__ = ["Found", "all_silent", "find", "nobody"]


class Found(NamedTuple):
    """Instances, and by which identity key they are found again: a client that is restarted is another instance."""

    clients: Sequence[ClientItem]
    key: str
    value: str
    missing: Sequence[int]


def find(questions: Questions, name: str) -> Found:
    """Instances of the client id `name`, or the one of that id or beginning; maybe none.

    Raises
    ------
    CommandFailedError
        Several clients begin with it, or the collector does not answer.
    """
    for key in ("client_id", "client_instance_id"):
        items, missing = questions.clients({key: name})
        if items:
            return Found(items, key, name, missing)
    items, missing = questions.clients({})
    chosen = choose(items, name)
    if not chosen:
        return Found((), "client_id", name, missing)
    first = chosen[0]
    if (len(chosen) > 1 and first.client_id is not None) or first.client_instance_id is None:
        return Found(chosen, "client_id", first.client_id or name, missing)
    if first.client_id is not None and first.client_id.startswith(name):
        return Found(chosen, "client_id", first.client_id, missing)
    return Found(chosen, "client_instance_id", first.client_instance_id, missing)


def all_silent(questions: Questions) -> Sequence[SilentItem]:
    """Clients that do not push; a collector that does not know who is silent knows none, which is told."""
    try:
        found = questions.silent(ours=True)
    except CommandFailedError as error:
        warn(str(error))
        return ()
    if found.missing:
        warn(missing_text(found.missing))
    return found.items


def nobody(name: str, silent: Sequence[SilentItem], missing: Sequence[int]) -> CommandFailedError:
    """What is told where no instance of that name pushes."""
    if silent:
        one = silent[0]
        reason = explained(one.reason)
        return CommandFailedError(
            f"{one.client_id or name} does not push, because {reason.because} ({one.reason}). "
            f"{as_sentence(one.detail or reason.remedy)}"
        )
    if missing:
        return CommandFailedError(
            f"no client {name} is known to those replicas of the collector that answer; {missing_text(missing)}: ask "
            "again when it is back (kwitness doctor)"
        )
    return CommandFailedError(
        f"no client {name} is known: it never pushed, or it was gone for three of its intervals and is forgotten. "
        "`kwitness clients` lists those that push, `kwitness clients --silent --why` those that do not; whoever was "
        "there before is in the table of an AnalyticsJob of type ClientInventory"
    )
