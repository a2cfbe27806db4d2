"""The page about node and images names what there is."""

from __future__ import annotations

from kwitness.demo.images import ALL
from kwitness.images.image_parts import REPOSITORY

PAGE = (REPOSITORY / "docs" / "dev" / "node-and-images.md").read_text()


def test_every_image_is_in_the_table() -> None:
    rows = " ".join(line for line in PAGE.splitlines() if line.startswith("| `"))
    assert [name for name in ALL if f"`{name}`" not in rows] == []


def test_every_file_of_the_node_is_in_the_table() -> None:
    files = [entry.name for entry in (REPOSITORY / "e2e" / "node").iterdir()]
    assert sorted(name for name in files if f"`{name}`" not in PAGE and f"`{name}/`" not in PAGE) == []
