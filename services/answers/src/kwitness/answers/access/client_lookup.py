"""Finds the client that a name means: instances that push, or those that do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from kwitness.answers.access.questions import Questions, Selection
from kwitness.answers.failure import CommandFailedError
from kwitness.answers.views.advice import as_sentence, missing_text
from kwitness.answers.views.choosing import choose, choose_silent
from kwitness.answers.views.silence import explained
from kwitness.contracts.envelopes import ClientItem, SilentItem
from kwitness.contracts.plain_text import plain_text
from kwitness.contracts.spelling import quantity

__all__ = ["Found", "all_silent", "find", "unknown_client"]

_SHOWN_SOFTWARE: Final = 5
_PAST: Final = "earlier clients are in the table of an AnalyticsJob of type ClientInventory"


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
        found = questions.clients(Selection({key: name}))
        if found.items:
            return Found(found.items, key, name, found.missing)
    begun = [questions.clients(Selection({key: f"{name}*"})) for key in ("client_id", "client_instance_id")]
    missing = sorted({ordinal for answer in begun for ordinal in answer.missing})
    chosen = choose(dict.fromkeys(client for answer in begun for client in answer.items), name)
    if not chosen:
        return Found((), "client_id", name, missing)
    first = chosen[0]
    if (len(chosen) > 1 and first.client_id is not None) or first.client_instance_id is None:
        return Found(chosen, "client_id", first.client_id or name, missing)
    if first.client_id is not None and first.client_id.startswith(name):
        return Found(chosen, "client_id", first.client_id, missing)
    return Found(chosen, "client_instance_id", first.client_instance_id, missing)


def all_silent(questions: Questions, notify: Callable[[str], None]) -> Sequence[SilentItem]:
    """Return clients that do not push, none where the collector does not answer.

    Parameters
    ----------
    notify
        Called with a sentence about each thing that the answer lacks.
    """
    try:
        found = questions.silent(ours=True)
    except CommandFailedError as error:
        notify(str(error))
        return ()
    if found.missing:
        notify(missing_text(found.missing))
    return found.items


def unknown_client(name: str, silent: Sequence[SilentItem], missing: Sequence[int]) -> CommandFailedError:
    """Return the error for a name that no pushing instance has.

    Parameters
    ----------
    silent
        All clients that do not push: one of them may be meant, also one whose name brokers do not know.
    missing
        Replicas of the collector that did not answer.
    """
    if named := choose_silent(silent, name):
        client = named[0]
        reason = explained(client.reason)
        return CommandFailedError(
            f"{client.client_id or name} does not push, because {reason.because} ({client.reason}). "
            f"{as_sentence(client.detail or reason.remedy)}"
        )
    if missing:
        return CommandFailedError(
            f"no client {name} is known to those replicas of the collector that answer; {missing_text(missing)}: ask "
            "again when it is back (kwitness doctor)"
        )
    unnamed = [client for client in silent if not client.ours and client.client_id is None and client.connections]
    if not unnamed:
        return CommandFailedError(
            f"no client {name} is known: it never pushed, or it was gone for three of its intervals and is forgotten. "
            f"`kwitness clients` lists those that push, `kwitness clients --silent --why` those that do not; {_PAST}"
        )
    lines = [_unnamed_line(client) for client in sorted(unnamed, key=_by_connections)[:_SHOWN_SOFTWARE]]
    return CommandFailedError(
        f"no client {name} is known: it has not pushed lately; {_PAST}. Brokers count connections of clients that do "
        f"not push, and do not name them. If {name} is one of these:\n" + "\n".join(lines)
    )


def _unnamed_line(client: SilentItem) -> str:
    software = f"{client.client_software_name} {client.client_software_version}"
    count = quantity(client.connections or 0, "connection")
    detail = as_sentence(client.detail or explained(client.reason).remedy)
    return plain_text(f"  {count} of {software}, {client.reason}: {detail}")


def _by_connections(client: SilentItem) -> int:
    return -(client.connections or 0)
