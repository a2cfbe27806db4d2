"""The guide's class, its test and its command do what the guide says."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
import yaml

from kwitness.contracts.resources.observer_deployment import ObserverDeployment
from kwitness.observer.host.worker import CLOSING, QUEUE_FULL, RAISED, UNUSABLE
from kwitness.sandbox.waiting import run_to_end

GUIDE = (Path(__file__).resolve().parents[2] / "docs/guides/observer-classes.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with the guide's class and its test."""
    (tmp_path / "shop").mkdir()
    source, test = blocks("python")
    (tmp_path / "shop/audit.py").write_text(source)
    (tmp_path / "test_orders.py").write_text(test)
    return tmp_path


@pytest.mark.slow
def test_the_class_is_replayed_by_the_command(shop: Path) -> None:
    (command,) = blocks("sh")
    _, *arguments = shlex.split(command)

    done = run_to_end([sys.executable, *arguments], cwd=shop)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("{'orders': ")


@pytest.mark.slow
def test_its_test_passes(shop: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_orders.py"]
    done = run_to_end(command, cwd=shop)

    assert done.returncode == 0, done.stdout


def test_the_resource_names_the_class() -> None:
    (text,) = blocks("yaml")
    resource = ObserverDeployment.model_validate(yaml.safe_load(text))

    assert resource.spec.host is not None
    assert [one.class_name.rpartition(".")[2] for one in resource.spec.host.observers] == ["Orders", "AuditLog"]


def test_it_has_every_reason_for_a_loss() -> None:
    sentence = GUIDE.partition("what was dropped: ")[2].partition("The others")[0]

    assert [word for word in re.findall(r"`(\w+)`", sentence) if not word.startswith("kwitness_")] == [
        RAISED,
        QUEUE_FULL,
        UNUSABLE,
        CLOSING,
    ]
