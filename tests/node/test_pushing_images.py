"""Images for a cluster that is not ours go through a registry: a real one, in memory."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from kwitness.e2e import engine
from kwitness.e2e.binaries import PAUSE, REGISTRY, built
from kwitness.e2e.commands import CommandFailedError
from kwitness.e2e.images import push_all

pytestmark = [pytest.mark.node, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def registry() -> Iterator[str]:
    """Address of a registry on loopback, which the engine trusts without TLS."""
    engine.ensure_engine()
    command = [str(built(REGISTRY) / "registry"), "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The smallest image there is."""
    context: Path = tmp_path_factory.mktemp("context")
    (context / "pause").write_bytes((built(PAUSE) / "pause").read_bytes())
    (context / "Dockerfile").write_text("FROM scratch\nCOPY pause /pause\n")
    engine.build(context, "kwitness/pushed:1")
    yield "kwitness/pushed:1"
    engine.docker("rmi", "kwitness/pushed:1")


def test_a_pushed_image_is_in_the_registry_under_the_name_that_is_returned(registry: str, image: str) -> None:
    target = f"{registry}/team"

    pushed = push_all({"pushed": image}, target)

    assert pushed == {"pushed": f"{registry}/team/kwitness/pushed:1"}
    with urllib.request.urlopen(f"http://{registry}/v2/team/kwitness/pushed/manifests/1", timeout=5) as answer:
        assert json.load(answer)["layers"]
    engine.docker("rmi", pushed["pushed"])


def test_a_registry_that_does_not_answer_is_named(image: str) -> None:
    with pytest.raises(CommandFailedError, match=r"127\.0\.0\.1:1/"):
        push_all({"pushed": image}, "127.0.0.1:1")
    engine.docker("rmi", f"127.0.0.1:1/{image}")
