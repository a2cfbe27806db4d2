"""Command lines that a person is told to type next."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from kwitness.contracts.envelopes import ClientItem
from kwitness.contracts.metric_prefix import PREFIX
from kwitness.contracts.reader_rights import ReaderScope

__all__ = ["as_sentence", "missing_text", "owner_text", "scope_text", "subscribe_line"]


def subscribe_line(client_id: str | None, instance: str | None = None) -> str:
    """The line that asks one client for everything it has, for ten minutes."""
    selector = f"--client-id {shlex.quote(client_id)}" if client_id else ""
    if not client_id and instance:
        selector = f"--client-instance-id {shlex.quote(instance)}"
    name = "-".join(re.findall(r"[a-z0-9]+", (client_id or "client").lower()))[:40].strip("-") or "client"
    parts = ["kwitness subscriptions add", f"look-at-{name}", selector, f"--metric {PREFIX}"]
    return " ".join([*(one for one in parts if one), "--interval 10s --for 10m"])


def as_sentence(text: str) -> str:
    """Begun with a capital letter and ended with a full stop."""
    return text if not text else f"{text[0].upper()}{text[1:].removesuffix('.')}."


def missing_text(missing: Sequence[int]) -> str:
    """What a partial answer lacks."""
    replicas = ", ".join(str(one) for one in sorted(missing))
    which = "replica" if len(missing) == 1 else "replicas"
    return f"the answer is partial: {which} {replicas} of the collector did not answer, and what is known there lacks"


def scope_text(scope: ReaderScope) -> str:
    """Return what an answer is limited to."""
    parts = [
        f"{subject} {', '.join(patterns)}"
        for subject, patterns in (("namespaces", scope.namespaces), ("owners", scope.owners))
        if patterns
    ]
    return f"the answer is limited to the scope of this reader: {'; '.join(parts) or 'nothing'}"


def owner_text(client: ClientItem) -> str | None:
    """Whose it is and how to reach them."""
    if client.owner is None:
        return None
    return client.owner.team if client.owner.contact is None else f"{client.owner.team} ({client.owner.contact})"
