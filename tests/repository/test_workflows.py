"""Hosted runs do what the Makefile does, with as few permissions as possible and with actions that cannot change."""

from __future__ import annotations

import fnmatch
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kwitness.devtools.release.identity import IDENTITY_FILE, read_identity
from kwitness.devtools.sources import tracked
from kwitness.sandbox.waiting import run_to_end

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text()
VARIABLES = set(re.findall(r"^([A-Z][A-Z_]*) \?=", MAKEFILE, re.MULTILINE))
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text()) for path in ROOT.glob(".github/workflows/*.yml")}
ACTIONS = {path.parent.name: yaml.safe_load(path.read_text()) for path in ROOT.glob(".github/actions/*/action.yml")}
FILES = [*ROOT.glob(".github/workflows/*.yml"), *ROOT.glob(".github/actions/*/action.yml")]
WRITES = {
    ("codeql", "analyze"): {"security-events"},
    ("scorecard", "scorecard"): {"id-token", "security-events"},
}
"""Findings, and Scorecard's proof of where they are from: no other job writes."""
LOCKS = ("Cargo.lock", "go.sum", "package-lock.json", "pom.xml", "rust-toolchain.toml")


def events(workflow: str) -> set[str]:
    """Return what starts a workflow; YAML 1.1 reads `on` as true."""
    return set(WORKFLOWS[workflow][True])


def jobs() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield workflow, name and content of each job."""
    for workflow, content in WORKFLOWS.items():
        for name, job in content["jobs"].items():
            yield workflow, name, job


def steps() -> list[dict[str, Any]]:
    """Return the steps of all jobs and of our own actions."""
    return [step for _, _, job in jobs() for step in job["steps"]] + [
        step for action in ACTIONS.values() for step in action["runs"]["steps"]
    ]


COMMANDS = sorted({step["run"] for step in steps() if "run" in step})


@pytest.mark.parametrize("command", COMMANDS)
def test_a_run_is_one_target_of_the_makefile(command: str) -> None:
    program, target, *settings = shlex.split(command)

    assert program == "make"
    assert re.fullmatch(r"[a-z][a-z-]*", target), f"{command}: name a target first"
    assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), f"{command}: the Makefile has no target {target}"
    for setting in settings:
        name, _, value = setting.partition("=")
        assert name in VARIABLES, f"{command}: the Makefile gives {name} no default"
        assert re.fullmatch(r"[\w.-]+", value), f"{command}: what a run is given goes by its environment"
    run_to_end(["make", "--dry-run", target, *settings], cwd=ROOT, check=True)


def test_the_tools_of_a_target_are_installed_before_it() -> None:
    for workflow, name, job in jobs():
        commands = [step["run"].split() for step in job["steps"] if "run" in step]
        installed = {word.removeprefix("FOR=") for command in commands for word in command if word.startswith("FOR=")}
        targets = {command[1] for command in commands}

        assert installed <= targets, f"{workflow}, {name}: it installs what no step needs"


def test_each_change_runs_what_the_gate_runs() -> None:
    gate = [line for line in (ROOT / ".ci/run").read_text().splitlines() if line.startswith("make")]
    ci = WORKFLOWS["ci"]

    assert {step["run"] for step in ci["jobs"]["test"]["steps"] if "run" in step} >= set(gate)
    assert "pull_request" in events("ci")
    assert "if" not in ci["jobs"]["test"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_an_action_is_named_by_its_commit_and_its_version(file: Path) -> None:
    used = re.findall(r"\buses: (.*)", file.read_text())

    assert used
    for name in used:
        local = re.fullmatch(r"\./(\S+)", name)
        assert (
            (ROOT / local[1] / "action.yml").is_file()
            if local
            else re.fullmatch(r"[\w-]+(/[\w.-]+)+@[0-9a-f]{40} # v\d+(\.\d+){0,2}", name)
        ), f"{name}: name an action of others as owner/name@COMMIT # vX.Y.Z"


def test_an_action_has_one_version() -> None:
    used = {name for file in FILES for name in re.findall(r"\buses: ([^./].*)", file.read_text())}
    versions: dict[str, set[str]] = {}
    for name in used:
        repository, _, version = name.partition("@")
        versions.setdefault("/".join(repository.split("/")[:2]), set()).add(version)

    assert {name: found for name, found in versions.items() if len(found) > 1} == {}


def test_jobs_read_and_those_that_write_are_listed() -> None:
    for name, workflow in WORKFLOWS.items():
        assert workflow["permissions"] == {"contents": "read"}, f"{name}: jobs that need more say so themselves"
    written = {
        (workflow, name): {scope for scope, access in job.get("permissions", {}).items() if access != "read"}
        for workflow, name, job in jobs()
    }

    assert {job: scopes for job, scopes in written.items() if scopes} == WRITES


def test_a_run_ends_and_later_ones_replace_or_await_it() -> None:
    for name, workflow in WORKFLOWS.items():
        assert workflow["concurrency"].keys() == {"group", "cancel-in-progress"}, name
    for workflow, name, job in jobs():
        assert 0 < job["timeout-minutes"] <= 240, f"{workflow}, {name}"


def test_code_of_strangers_gets_neither_credentials_nor_texts_in_a_shell() -> None:
    assert [name for name in WORKFLOWS if {"pull_request_target", "workflow_run"} & events(name)] == []
    assert [command for command in COMMANDS if "${{" in command] == [], "give a command its values by the environment"
    checkouts = [step for step in steps() if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    assert [step for step in checkouts if step["with"]["persist-credentials"] is not False] == []


def test_secrets_are_of_the_release_alone() -> None:
    assert {file.stem for file in FILES if "secrets." in file.read_text()} <= {"release"}


def test_what_is_cached_is_keyed_by_every_lock() -> None:
    (cache,) = [step for step in steps() if step.get("uses", "").startswith("actions/cache@")]
    patterns = re.findall(r"'([^']+)'", re.findall(r"hashFiles\((.*?)\)", cache["with"]["key"])[0])
    files = [str(file) for file in tracked(ROOT)]
    hashed = {
        pattern: fnmatch.filter((f"/{file}" for file in files), f"/{pattern}".replace("/**/", "*/"))
        for pattern in patterns
    }
    locks = [file for file in files if Path(file).name in LOCKS or re.match("(locks|e2e/node)/[^/]+[.]txt", file)]

    assert len(locks) > 40
    assert {f"/{file}" for file in locks} - {file for found in hashed.values() for file in found} == set()
    assert [pattern for pattern, found in hashed.items() if not found] == []


def test_no_workflow_repeats_what_the_identity_has() -> None:
    identity = read_identity()
    texts = {file: file.read_text() for file in (*FILES, ROOT / ".github/renovate.json")}

    for name in (identity.repository, identity.registry, identity.downloads, identity.team):
        assert [file for file, text in texts.items() if name in text] == [], f"read it from {IDENTITY_FILE.name}"
