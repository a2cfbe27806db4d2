"""Names what Maven's public repositories require of a POM and a project's has not."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

__all__ = ["lacks"]

_OWN: Final = ("artifactId", "name", "description")
_INHERITED: Final = (
    "groupId", "version", "url", "licenses/license/name", "licenses/license/url", "developers/developer",
    "scm/connection", "scm/url",
)  # fmt: skip
"""Fields that a project may have from its parent."""


def lacks(pom: Path) -> list[str]:
    """Return the required fields that a POM and its parents have not, or that are empty.

    Raises
    ------
    FileNotFoundError
        A parent is not where its project says.
    xml.etree.ElementTree.ParseError
        A file is no XML.
    """
    project = _project(pom)
    chain = [project]
    while relative := _text(chain[-1], "parent/relativePath"):
        pom = pom.parent / relative
        chain.append(_project(pom))
    own = [field for field in _OWN if not _text(project, field)]
    return own + [field for field in _INHERITED if not any(_text(ancestor, field) for ancestor in chain)]


def _project(pom: Path) -> ET.Element:
    root = ET.parse(pom).getroot()  # noqa: S314 - our own file
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def _text(project: ET.Element, field: str) -> str:
    found = project.find(field)
    return "" if found is None else " ".join("".join(found.itertext()).split())
