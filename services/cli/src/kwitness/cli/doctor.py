"""`kwitness doctor`: what is wrong with this installation, and what to do."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Annotated

import typer

from kwitness.answers.access.cluster_access import connect
from kwitness.answers.access.installation_access import look
from kwitness.answers.checks.all_checks import look_at
from kwitness.answers.checks.finding import Finding
from kwitness.answers.failure import FAILED
from kwitness.cli.options import Options, new_app, shared
from kwitness.cli.output import Output
from kwitness.cli.progress import working
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.contracts.plain_text import plain_text
from kwitness.contracts.spelling import quantity

__all__ = ["app"]

_STYLES = {"error": "bold red", "warning": "yellow", "note": "cyan", "ok": "green"}

app = new_app(SUBCOMMANDS["doctor"].about)


@app.command()
@shared
def doctor(
    options: Options,
    *,
    here: Annotated[bool, typer.Option("--here", help="Check the chosen namespace only.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Leave out what is well.")] = False,
) -> None:
    """Check definitions, operator, injector, resources, brokers, collectors, ledgers, versions and permissions.

    The exit status is 1 when something does not work, and 0 when there are warnings alone. What you may not look at is
    a warning; a defect that no supported release mends is a note.
    """
    access = connect(options)
    with working("looks at the installation"):
        facts = look(access, options.collector, everywhere=not here)
    findings = look_at(facts)
    counts: Counter[str] = Counter(one.severity for one in findings)
    output = Output(options)
    if not output.is_table:
        shown = [asdict(one) for one in findings if not quiet or one.severity != "ok"]
        document = {"items": shown, "errors": counts["error"], "warnings": counts["warning"]}
        output.document(document, names=[str(one["subject"]) for one in shown])
    else:
        _write(output, [one for one in findings if not quiet or one.severity != "ok"])
        print(_summary(counts))
    if counts["error"]:
        raise typer.Exit(FAILED)


def _write(output: Output, findings: list[Finding]) -> None:
    from rich.text import Text  # noqa: PLC0415 - as in output

    width = max((len(one.severity) for one in findings), default=0)
    for one in findings:
        first, *more = one.message.splitlines() or [""]
        line = Text(one.severity.ljust(width), style=_STYLES[one.severity])
        line.append(plain_text(f"  {one.check}: {one.subject}: {first}"), style="default")
        output.write(line)
        for text in [*more, *([f"-> {one.remedy}"] if one.remedy else [])]:
            output.write(Text(plain_text(f"{' ' * width}  {text}")))


def _summary(counts: Counter[str]) -> str:
    if not counts["error"] and not counts["warning"]:
        return "Nothing is wrong."
    told = [quantity(counts[name], name) for name in ("error", "warning") if counts[name]]
    return f"{' and '.join(told)}."
