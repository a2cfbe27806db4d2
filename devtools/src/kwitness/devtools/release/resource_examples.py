"""Finds an example of each kind of resource in the guides, whose manifests are applied by tests."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, Final

import yaml

from kwitness.contracts.resources import KINDS
from kwitness.devtools.sources import ROOT

__all__ = ["resource_examples"]

_PAGES: Final = ("docs/guides/install.md", "docs/guides/gateway.md", "docs/guides/interceptor-profiles.md")
_FILES: Final = ("docs/examples/header-registry.yaml",)
_BLOCK: Final = re.compile(r"^ *```yaml\n(.*?)^ *```", re.DOTALL | re.MULTILINE)


def resource_examples() -> list[dict[str, Any]]:
    """Return the first manifest of each kind, in the order of the kinds.

    Raises
    ------
    KeyError
        No guide has one of a kind.
    """
    found: dict[str, dict[str, Any]] = {}
    for document in _documents():
        if isinstance(document, Mapping) and {"kind", "metadata"} <= document.keys():
            found.setdefault(document["kind"], dict(document))
    return [found[info.kind] for info in KINDS]


def _documents() -> Iterator[Any]:
    for name in _PAGES:
        for block in _BLOCK.findall((ROOT / name).read_text(encoding="utf-8")):
            yield from yaml.safe_load_all(textwrap.dedent(block))
    for name in _FILES:
        yield from yaml.safe_load_all((ROOT / name).read_text(encoding="utf-8"))
