"""The program as a whole: what it starts, how it is completed, its page, and its plugin for kubectl."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from kwitness.cli.__main__ import main
from kwitness.cli.subcommands import HANDED_OVER, SUBCOMMANDS
from kwitness.devtools.command_reference import command_page
from kwitness.devtools.reference import COMMAND_PAGE
from kwitness.sandbox.waiting import run_to_end

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
VERBS = (ROOT / "devtools/src/kwitness/devtools/imperative_verbs.txt").read_text().split()
IMPORTED = """
import sys
from kwitness.cli.__main__ import main
try:
    main(sys.argv[1:])
finally:
    print(*sys.modules, file=sys.stderr)
"""
HEAVY = {"kubernetes", "rich.table", "kwitness.contracts.resources", "kwitness.answers.access.cluster_access"}
WITHOUT = """
import sys
for name in {names!r}:
    sys.modules[name] = None
from kwitness.cli.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def run(program: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *arguments]
    variables = {"PATH": os.environ["PATH"], **environment}
    return run_to_end(command, env=variables)


@pytest.mark.parametrize("line", ["--help", "--version", "completion bash", "generate events --help"])
def test_what_asks_no_cluster_imports_no_client_of_one(line):
    imported = set(run(IMPORTED, *line.split()).stderr.split())

    assert "kwitness.cli.__main__" in imported
    assert imported & HEAVY == set()


@pytest.mark.parametrize("line", ["tables sql --help", "jobs run --help"])
def test_help_imports_no_reader_of_tables(line):
    imported = set(run(IMPORTED, *line.split()).stderr.split())

    assert "kwitness.cli.options" in imported
    assert imported & {"deltalake", "duckdb", "pyarrow", "pyspark", "kubernetes"} == set()


def test_a_look_at_clients_imports_the_models_of_no_kind_that_it_does_not_read(tmp_path):
    done = run(IMPORTED, "clients", HOME=str(tmp_path))
    imported = set(done.stderr.split())

    # It came as far as to the kubeconfig, which is the last that it imports anything for.
    assert "kubernetes.config.kube_config" in imported
    models = {"kinds", "analytics_job", "client_metrics_subscription", "header_registry", "interceptor_profile"}
    assert imported & {f"kwitness.contracts.resources.{one}" for one in {*models, "observer_deployment"}} == set()
    assert "kwitness.contracts.client_metrics" not in imported, "the registry of metrics"


def test_what_another_program_reads_needs_no_typer(tmp_path):
    done = run(WITHOUT.format(names=("typer", "rich", "kubernetes")), HANDED_OVER, "--help", PATH=str(tmp_path))

    assert "No module named" not in done.stderr
    assert "the extra `command`" not in done.stderr


def test_everything_else_says_what_to_install_without_it():
    done = run(WITHOUT.format(names=("typer",)), "subscriptions", "list")

    assert done.returncode == 1
    assert done.stderr == (
        "kwitness subscriptions: typer is not installed: install the extra `command`, as in "
        "`pip install --find-links dist 'kwitness[command]'`; without it there is observe alone\n"
    )


def test_a_subcommand_that_is_nearly_one_is_suggested():
    done = run(WITHOUT.format(names=()), "subscription", "list")

    assert done.returncode == 2
    assert "Did you mean 'subscriptions'" in done.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("sub",), ["subscriptions"]),
        (("subscriptions", "d"), ["describe", "delete"]),
        (("subscriptions", "add", "--software"), ["--software", "--software-version"]),
        (("subscriptions", "list", "--output", ""), ["table", "wide", "json", "yaml", "csv", "name"]),
        (("groups", "--sort", "committed_"), ["committed_lag", "committed_lag_ms"]),
        (("connections", "--software"), ["--software", "--software-version"]),
        (("jobs", ""), ["list", "describe", "run"]),
        (("jobs", "run", "Te"), ["TelemetryRollup"]),
        (("tables", "history", "-o", ""), ["table", "wide", "json", "yaml", "csv", "name"]),
        (("generate", "headers", "--language", ""), ["python", "java"]),
        (("completion", ""), ["bash", "zsh", "fish"]),
    ],
)
def test_the_shell_and_kubectl_get_the_same_candidates(words, expected):
    shell = run(
        WITHOUT.format(names=()),
        COMP_WORDS=" ".join(["kwitness", *words]),
        COMP_CWORD=str(len(words)),
        _KWITNESS_COMPLETE="complete_bash",
    )
    command = [sys.executable, "-m", "kwitness.cli.kubectl_completion", *words]
    kubectl = run_to_end(command, check=True)

    assert shell.stdout.split() == expected
    assert kubectl.stdout.split() == [*expected, ":4"]


def test_completion_prints_what_bash_reads():
    script = run(WITHOUT.format(names=()), "completion", "bash").stdout

    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
    assert "complete -o default -F _kwitness_completion kwitness" in script


@pytest.mark.parametrize("line", ["", "subscriptions", "jobs", "generate", "tables"])
def test_summaries_in_lists_of_commands_are_whole_sentences_that_begin_with_a_verb(line, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    with suppress(SystemExit):
        main([*line.split(), "--help"])

    listed = capsys.readouterr().out.partition("\nCommands:\n")[2]
    summaries = re.findall(r"^ +[a-z]+ +([A-Z].*(?:\n {10,}.*)*)$", listed, re.MULTILINE)
    assert len(summaries) >= 2
    for summary in (" ".join(text.split()) for text in summaries):
        assert re.split(r"\W", summary)[0].lower() in VERBS, summary
        assert summary.endswith("."), summary
        assert "..." not in summary


@pytest.mark.parametrize("line", ["why", "metrics", "tail", "jobs describe", "tables show", "subscriptions delete"])
def test_an_empty_name_is_refused_before_a_cluster_is_read(line, capsys):
    assert main([*line.split(), " "]) == 2
    assert "it is empty" in capsys.readouterr().err


@pytest.mark.parametrize("line", ["why", "metrics", "tail", "jobs describe", "subscriptions delete", "completion"])
def test_usage_names_arguments_without_braces(line, capsys):
    assert main([*line.split(), "--help"]) == 0

    assert re.search(r"^Usage: .* \[OPTIONS\] [A-Z]+$", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize("line", ["jobs --output xml", "completion tcsh", "--output xml jobs"])
def test_a_value_that_is_not_offered_is_answered_with_those_that_are(line, capsys):
    assert main(line.split()) == 2

    assert re.search(r"Invalid value for .*: '\w+' is not one of '\w+', ", capsys.readouterr().err)


def test_every_option_is_described_by_a_sentence():
    described = re.findall(r"^\| (`.*) \| (.*) \|$", command_page(), re.MULTILINE)

    assert len(described) > 80
    assert [line for line in described if not re.fullmatch(r"[A-Z].*[.]( \*\*Required\.\*\*)?", line[1])] == []


def test_the_page_of_the_command_is_fresh():
    assert COMMAND_PAGE.read_text() == command_page(), "run `make generate` and commit"


def test_every_subcommand_has_its_part_of_the_page():
    text = COMMAND_PAGE.read_text()

    assert [name for name in SUBCOMMANDS if f"\n## {name}\n" not in text] == []
