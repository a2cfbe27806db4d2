"""Each folder of tests has its target, and what people type is listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from kwitness.sandbox.waiting import run_to_end

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = sorted({path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")})


def make(*arguments: str) -> str:
    return run_to_end(["make", *arguments], cwd=ROOT, check=True).stdout


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_of_tests_has_its_target(folder: str) -> None:
    commands = make("--dry-run", f"test-{folder.removeprefix('broker_')}")

    assert f"-m pytest tests/{folder}\n" in commands


def test_help_lists_what_developers_type() -> None:
    shown = make("help")

    for target in ("check", "test", "test-fast", "test-java", "soak", "fuzz", "lint", "verify"):
        assert f"  make {target} " in shown
    for folder in FOLDERS:
        assert folder.removeprefix("broker_") in shown
