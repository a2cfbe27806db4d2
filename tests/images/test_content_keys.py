"""What a cache key depends on, and how a cached folder comes to be."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from kwitness.images.cache import cache_folder, cached_folder, content_key


def _tree(root: Path) -> Path:
    (root / "inner").mkdir(parents=True)
    (root / "a.txt").write_text("a")
    (root / "inner" / "b.txt").write_text("b")
    return root


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "kwitness"


def test_two_clones_of_the_same_content_have_the_same_key(tmp_path: Path) -> None:
    assert content_key(_tree(tmp_path / "one")) == content_key(_tree(tmp_path / "two"))


def test_a_changed_byte_changes_the_key(tmp_path: Path) -> None:
    tree = _tree(tmp_path / "tree")
    before = content_key(tree)
    (tree / "inner" / "b.txt").write_text("c")
    assert content_key(tree) != before


def test_a_renamed_file_changes_the_key(tmp_path: Path) -> None:
    tree = _tree(tmp_path / "tree")
    before = content_key(tree)
    (tree / "a.txt").rename(tree / "z.txt")
    assert content_key(tree) != before


def test_an_executable_bit_changes_the_key(tmp_path: Path) -> None:
    script = tmp_path / "start.sh"
    script.write_text("true")
    before = content_key(script)
    script.chmod(0o755)
    assert content_key(script) != before


@pytest.mark.parametrize("leftover", ["__pycache__/x.cpython-311.pyc", "target/x.jar", "kwitness.egg-info/PKG-INFO"])
def test_what_builds_leave_beside_the_sources_does_not_count(tmp_path: Path, leftover: str) -> None:
    tree = _tree(tmp_path / "tree")
    before = content_key(tree)
    (tree / leftover).parent.mkdir()
    (tree / leftover).write_text("x")
    assert content_key(tree) == before


def test_two_parts_are_not_the_same_as_their_sum() -> None:
    assert content_key("ab", "c") != content_key("a", "bc")


def test_a_missing_input_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere is not there; is the clone complete"):
        content_key(tmp_path / "nowhere")


def test_the_cache_is_where_the_user_says(own_cache: Path) -> None:
    assert cache_folder() == own_cache


def test_without_a_wish_the_cache_is_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "kwitness"


def test_a_folder_is_made_once(own_cache: Path) -> None:
    made = []

    def make(folder: Path) -> None:
        made.append(folder)
        (folder / "result").write_text("done")

    first = cached_folder("things", "key", make)
    assert cached_folder("things", "key", make) == first == own_cache / "things" / "key"
    assert len(made) == 1
    assert (first / "result").read_text() == "done"


def test_a_failed_build_leaves_nothing_and_can_be_tried_again(own_cache: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").write_text("")
        raise RuntimeError("no network")

    with pytest.raises(RuntimeError, match="no network"):
        cached_folder("things", "key", fail)
    assert [entry.name for entry in (own_cache / "things").iterdir() if not entry.name.endswith(".lock")] == []
    assert cached_folder("things", "key", lambda folder: (folder / "whole").touch()).is_dir()


def test_two_builders_of_the_same_content_wait_for_each_other(own_cache: Path) -> None:
    running: list[str] = []
    most = []

    def make(folder: Path) -> None:
        running.append(folder.name)
        most.append(len(running))
        threading.Event().wait(0.1)
        running.pop()

    builders = [threading.Thread(target=cached_folder, args=("things", "key", make)) for _ in range(4)]
    for builder in builders:
        builder.start()
    for builder in builders:
        builder.join()
    assert most == [1]
