"""Finding, installing and starting a container engine, with programs that only pretend to be one.

The real engine cannot be taken away from under the other tests.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kwitness.e2e.node.removal import remove_node
from kwitness.images import container_engine
from kwitness.images.commands import CommandFailedError

DOCKER = '#!/bin/sh\n[ -f "{up}" ] || {{ echo "no daemon" >&2; exit 1; }}\necho 20.10\n'
DOCKERD = '#!/bin/sh\n: > "{up}"\n'
APT = '#!/bin/sh\n[ "$1" = update ] || {{ /bin/cp {box}/docker* {path}/; }}\n'


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing on it."""
    folder = tmp_path / "path"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    return folder


def _program(file: Path, text: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    file.chmod(0o755)


def _engine(folder: Path, up: Path) -> None:
    _program(folder / "docker", DOCKER.format(up=up))
    _program(folder / "dockerd", DOCKERD.format(up=up))


def test_an_engine_that_answers_is_left_alone(bare: Path, tmp_path: Path) -> None:
    _engine(bare, tmp_path / "up")
    (tmp_path / "up").touch()
    said: list[str] = []
    container_engine.ensure_engine(said.append)
    assert said == []


def test_an_engine_that_does_not_run_is_started(bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    _engine(bare, tmp_path / "up")
    said: list[str] = []
    container_engine.ensure_engine(said.append)
    assert [line.split(";")[0] for line in said] == ["starting the container engine"]
    assert container_engine.answers()


def test_an_absent_engine_is_installed_after_saying_so(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    _engine(tmp_path / "box", tmp_path / "up")
    _program(bare / "apt-get", APT.format(box=tmp_path / "box", path=bare))
    said: list[str] = []
    container_engine.ensure_engine(said.append)
    assert said[0] == "there is no container engine: installing docker.io with apt-get"
    assert container_engine.answers()


def test_without_apt_the_remedy_is_named(bare: Path) -> None:
    with pytest.raises(container_engine.NoEngineError, match=r"no apt-get: install docker\.io by its own means"):
        container_engine.ensure_engine()


def test_without_rights_nothing_is_installed(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    _program(bare / "apt-get", "#!/bin/sh\nexit 1\n")
    with pytest.raises(container_engine.NoEngineError, match="as root"):
        container_engine.ensure_engine()


def test_a_failed_installation_is_quoted(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    _program(bare / "apt-get", "#!/bin/sh\necho 'Unable to locate package' >&2\nexit 100\n")
    with pytest.raises(container_engine.NoEngineError, match="Unable to locate package"):
        container_engine.ensure_engine()


def test_a_named_engine_is_never_replaced_by_another(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    _engine(bare, tmp_path / "up")
    with pytest.raises(container_engine.NoEngineError, match=r"DOCKER_HOST=tcp://127\.0\.0\.1:1 does not answer"):
        container_engine.ensure_engine()
    assert not (tmp_path / "up").exists()


def test_a_failed_sink_is_what_is_reported() -> None:
    with pytest.raises(CommandFailedError, match="disk full"):
        container_engine.pipe(["sh", "-c", "head -c 1000000 /dev/zero"], ["sh", "-c", "echo disk full; exit 3"])


def test_where_there_is_no_engine_there_is_no_node_to_remove_and_none_is_installed(bare: Path) -> None:
    _program(bare / "apt-get", "#!/bin/sh\nexit 1\n")
    said: list[str] = []

    remove_node("kwitness-demo", keep_images=False, progress=said.append)

    assert said == ["there is no container engine, so there is no node"]


def test_a_push_without_a_digest_fails_and_names_the_remedy(bare: Path) -> None:
    _program(bare / "docker", "#!/bin/sh\necho Writing manifest to image destination\n")

    with pytest.raises(container_engine.NoDigestError, match="push with Docker's own command line") as failed:
        container_engine.push("registry.example/kwitness/operator:1")

    assert "Writing manifest" in str(failed.value)
