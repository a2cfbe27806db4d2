"""`kwitness generate`: constants of a HeaderRegistry, and events for tests."""

from __future__ import annotations

from kwitness.cli.generate_events import generate_events
from kwitness.cli.generate_headers import generate_headers
from kwitness.cli.options import new_app
from kwitness.cli.subcommands import SUBCOMMANDS

__all__ = ["app"]

app = new_app(SUBCOMMANDS["generate"].about)
app.command("headers")(generate_headers)
app.command("events")(generate_events)
