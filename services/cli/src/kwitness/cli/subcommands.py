"""The subcommands: what each is for, and the module that has it, which is imported when it is asked for."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["HANDED_OVER", "SUBCOMMANDS", "Subcommand"]


class Subcommand(NamedTuple):
    """Its line of help, and its module.

    A module has ``app``, a typer application (`options.new_app`); that of `HANDED_OVER` has ``run(arguments)``, which
    returns the exit status.
    """

    about: str
    module: str


SUBCOMMANDS = {
    "try": Subcommand("Start a broker, a collector and clients here, and show them.", "kwitness.cli.try_here"),
    "subscriptions": Subcommand("Show, add and delete subscriptions of client metrics.", "kwitness.cli.subscriptions"),
    "clients": Subcommand("Show clients that push metrics, or with --silent others.", "kwitness.cli.clients"),
    "console": Subcommand("Show clients and topics in a browser.", "kwitness.cli.console"),
    "connections": Subcommand("Show connections that are open at observers.", "kwitness.cli.connections"),
    "topics": Subcommand("Show who writes and reads topics now.", "kwitness.cli.topics"),
    "groups": Subcommand("Show lag and members of consumer groups.", "kwitness.cli.groups"),
    "metrics": Subcommand("Show the values that a client sent last.", "kwitness.cli.metrics"),
    "tail": Subcommand("Follow the pushes of a client.", "kwitness.cli.tail"),
    "why": Subcommand("Explain the state of a client, and what to do.", "kwitness.cli.why"),
    "jobs": Subcommand("Show AnalyticsJobs, or run an analysis on this machine.", "kwitness.cli.jobs"),
    "brokers": Subcommand("Show brokers, and which have the plugin.", "kwitness.cli.brokers"),
    "acls": Subcommand("Show the permissions in Kafka that each component needs.", "kwitness.cli.acls"),
    "doctor": Subcommand("Check the installation, and say what to do.", "kwitness.cli.doctor"),
    "generate": Subcommand("Write constants of a HeaderRegistry, or test events.", "kwitness.cli.generate"),
    "observe": Subcommand("Relay Kafka clients of this machine, and show what passes.", "kwitness.cli.observe"),
    "tables": Subcommand("Show, query and clean the tables of analyses.", "kwitness.cli.tables"),
    "mcp": Subcommand("Serve read-only tools for language models.", "kwitness.cli.mcp"),
    "completion": Subcommand("Print the completion script of a shell.", "kwitness.cli.completion"),
}
"""In the order in which help lists them."""

HANDED_OVER: Final = "observe"
"""The one whose arguments another program reads; it needs none of the extra `command`."""
