"""`kwitness acls`: the permissions in Kafka that the components of an installation need."""

from __future__ import annotations

from kwitness.answers.access.cluster_access import connect
from kwitness.answers.access.serving_collector import find_cluster
from kwitness.answers.views.acl_commands import acl_commands
from kwitness.cli.named_arguments import ClusterArgument
from kwitness.cli.options import Options, new_app, shared
from kwitness.cli.output import Output
from kwitness.cli.subcommands import SUBCOMMANDS

__all__ = ["app"]

app = new_app(SUBCOMMANDS["acls"].about)


@app.command()
@shared
def acls(options: Options, *, cluster: ClusterArgument = None) -> None:
    """Show commands that grant operator, collector and analyses their permissions in Kafka.

    Replace OPERATOR, COLLECTOR and ANALYTICS by your users, and add --command-config FILE with an administrator's
    credential.
    """
    found = acl_commands(find_cluster(connect(options), cluster))
    output = Output(options)
    if not output.is_table:
        output.document(
            {"items": [{"component": component, "commands": list(commands)} for component, commands in found]},
            rows=[{"component": component, "command": one} for component, commands in found for one in commands],
            names=[component for component, _ in found],
        )
        return
    # Nothing is cut to the width of the terminal: the lines are pasted into a shell.
    for name, commands in found:
        print("\n".join((f"# {name}", *commands)))
