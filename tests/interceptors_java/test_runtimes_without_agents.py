"""Images often have a runtime with the modules of their application alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kwitness.images.commands import run
from kwitness.images.image_parts import java_interceptors

GUIDE = Path(__file__).resolve().parents[2] / "docs/guides/interceptor-profiles.md"


@pytest.fixture(scope="module")
def java(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runtime") / "small"
    run(["jlink", "--add-modules", "java.base", "--strip-debug", "--output", folder])
    return folder / "bin/java"


def test_the_guide_shows_how_to_recognize_such_a_runtime_and_its_error(java: Path) -> None:
    modules = run([java, "--list-modules"])
    agent = f"-javaagent:{java_interceptors()}"

    ended = subprocess.run([java, agent, "-version"], capture_output=True, text=True, check=False)

    assert "java.instrument" not in modules
    assert ended.returncode == 1
    message = "Could not find agent library instrument on the library path"
    assert message in ended.stdout + ended.stderr
    assert message in " ".join(GUIDE.read_text().split())
