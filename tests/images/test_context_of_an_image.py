"""Whoever wants to build an image by hand gets its build context and the command."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kwitness.images import container_engine
from kwitness.images.builder import fill_context
from kwitness.images.commands import run
from kwitness.images.image_recipes import DEVELOPED

pytestmark = pytest.mark.node  # it needs a container engine

BY_HAND = replace(DEVELOPED["operator"], name="by-hand")


@pytest.fixture
def built_by_hand(tmp_path: Path) -> Iterator[str]:
    command = shlex.split(fill_context(BY_HAND, tmp_path / "operator"))
    run(command)
    yield BY_HAND.reference
    container_engine.docker("rmi", BY_HAND.reference)


def test_an_image_that_is_built_by_hand_runs(built_by_hand: str) -> None:
    imported = "import kwitness.operator.settings; print('imported')"

    assert container_engine.docker("run", "--rm", "--entrypoint=python3", built_by_hand, "-c", imported) == "imported\n"
