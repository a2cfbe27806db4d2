"""actionlint finds nothing in the workflows: expressions, names of jobs, inputs of actions, labels of runners."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kwitness.e2e.binaries import GoCommand, built
from kwitness.sandbox.waiting import run_to_end

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
ACTIONLINT = GoCommand("actionlint", ROOT / "devtools/actionlint", "github.com/rhysd/actionlint/cmd/actionlint")
OPTIONS = ("-no-color", "-oneline", "-shellcheck=", "-pyflakes=")
"""Without programs that a machine may have: nothing but targets of the Makefile is run."""
CI = ROOT / ".github/workflows/ci.yml"


@pytest.fixture(scope="module")
def actionlint() -> Path:
    return built(ACTIONLINT, print) / "actionlint"


def test_the_workflows_are_right(actionlint: Path) -> None:
    done = run_to_end([actionlint, *OPTIONS], cwd=ROOT)

    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("right", "wrong", "error"),
    [
        ("needs: check", "needs: checks", 'needs job "checks" which does not exist'),
        ("github.event_name ==", "github.event ==", "expression"),
        ("cache: test", "caches: test", 'input "caches" is not defined in action'),
        ("runs-on: ubuntu-24.04", "runs-on: ubuntu-latent", 'label "ubuntu-latent" is unknown'),
    ],
)
def test_a_mistake_is_found(actionlint: Path, right: str, wrong: str, error: str) -> None:
    text = CI.read_text()
    assert right in text

    done = subprocess.run(
        [actionlint, *OPTIONS, f"-stdin-filename={CI}", "-"],
        cwd=ROOT,
        input=text.replace(right, wrong),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert error in done.stdout
