"""`make clean-cache` removes what was kept, and nothing that somebody uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from kwitness.devtools import clean

ENGINE = """#!/bin/sh
case "$1 $2" in
  "version "*) echo 20.10;;
  "ps "*) cat {folder}/running;;
  "images "*) echo kwitness/operator:1 kwitness-base/python:2 kwitness-node:3 debian:bookworm-slim me/kwitness:4;;
  "volume ls") echo kwitness-demo-images-72a351bfd8de 9af319422a41 somebody-images;;
  *) echo "$@" >> {folder}/done;;
esac
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An engine that only pretends, since the real one holds what other tests use; and a cache with something in it."""
    (tmp_path / "docker").write_text(ENGINE.format(folder=tmp_path))
    (tmp_path / "docker").chmod(0o755)
    (tmp_path / "running").touch()
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache/kwitness/go").mkdir(parents=True)
    return tmp_path


def test_images_volumes_and_the_cache_folder_go_and_others_stay(machine: Path) -> None:
    assert clean.main() == 0

    assert (machine / "done").read_text().splitlines() == [
        "rmi kwitness-base/python:2",
        "rmi kwitness-node:3",
        "rmi kwitness/operator:1",
        "volume rm kwitness-demo-images-72a351bfd8de",
    ]
    assert not (machine / "cache/kwitness").exists()


def test_nothing_goes_while_a_node_runs(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (machine / "running").write_text("kwitness-demo\n")

    assert clean.main() == 1

    assert "in use by kwitness-demo: make demo-down" in capsys.readouterr().err
    assert not (machine / "done").exists()
    assert (machine / "cache/kwitness/go").is_dir()
