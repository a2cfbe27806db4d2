"""Changes of a version, as Artifact Hub shows them."""

from __future__ import annotations

from kwitness.devtools.release.changes import changes_of

CHANGELOG = """\
# Changelog

## 0.3.0 (2026-12-01)

### Changed

- It zooms ([guide](docs/zoom.md), [0208](docs/decisions/0208-released-charts-name-digests.md)). What to do: nothing.

### Added

- A map
  of [topics](docs/topics.md).
- A list.


## 0.2.0 (2026-01-01)

### Fixed

- It is right.
"""


def test_changes_are_those_of_the_section_with_kinds_and_without_links() -> None:
    assert changes_of(CHANGELOG, "0.3.0") == [
        {"kind": "changed", "description": "It zooms. What to do: nothing."},
        {"kind": "added", "description": "A map of topics."},
        {"kind": "added", "description": "A list."},
    ]
    assert changes_of(CHANGELOG, "0.2.0") == [{"kind": "fixed", "description": "It is right."}]


def test_a_version_without_a_section_has_no_changes() -> None:
    assert changes_of(CHANGELOG, "0.1.0") == []
    assert changes_of(CHANGELOG, "0.3") == []
    assert changes_of("", "0.3.0") == []
