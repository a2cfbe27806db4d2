"""Builds SPDX documents: valid, and the same for the same artefact, without other times than that of the commit."""

from __future__ import annotations

import importlib.metadata
import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from spdx_tools.spdx.model import (
    Actor,
    ActorType,
    CreationInfo,
    Document,
    Package,
    Relationship,
    RelationshipType,
)
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
from spdx_tools.spdx.writer.json.json_writer import write_document_to_stream

from kwitness.devtools.release.release import Release, ReleaseError

__all__ = ["DOCUMENT", "FOLDER", "SUFFIX", "add", "creation", "describing", "write"]

FOLDER: Final = "sbom"
"""Folder of the documents, in that of the release."""
SUFFIX: Final = ".spdx.json"
DOCUMENT: Final = "SPDXRef-DOCUMENT"
_VERSION: Final = "SPDX-2.3"


def describing(release: Release, name: str, root: Package, *, sha256: str) -> Document:
    """Return a document of one artefact, so far without content.

    Parameters
    ----------
    name
        Of the artefact, which its document's file has too.
    root
        The artefact.
    sha256
        Of the artefact, hexadecimal.
    """
    document = Document(creation(release, name, sha256, tools=("spdx-tools",)), packages=[root])
    document.relationships.append(Relationship(DOCUMENT, RelationshipType.DESCRIBES, root.spdx_id))
    return document


def creation(release: Release, name: str, sha256: str, *, tools: tuple[str, ...]) -> CreationInfo:
    """Return when and by which distributions of this environment a document is written.

    Its namespace, which no two documents share, has the artefact's SHA-256.
    """
    versions = (f"{tool}-{importlib.metadata.version(tool)}" for tool in tools)
    return CreationInfo(
        spdx_version=_VERSION,
        spdx_id=DOCUMENT,
        name=name,
        document_namespace=f"{release.identity.downloads}/{release.version}/{FOLDER}/{name}-{sha256}",
        creators=[Actor(ActorType.TOOL, version) for version in versions],
        created=datetime.fromtimestamp(release.epoch, UTC).replace(tzinfo=None),
    )


def add(
    document: Document, holder: Package, relation: RelationshipType, package: Package, comment: str | None = None
) -> None:
    """Add a package, once, and its relation to the package that contains, links or needs it.

    A relation whose name ends with `OF` goes from the package to its holder, each other one to the package.
    """
    if all(package.spdx_id != known.spdx_id for known in document.packages):
        document.packages.append(package)
    ends = (package, holder) if relation.name.endswith("_OF") else (holder, package)
    document.relationships.append(Relationship(ends[0].spdx_id, relation, ends[1].spdx_id, comment))


def write(document: Document, folder: Path) -> Path:
    """Write a document, named as its artefact, in an order that does not depend on how it was made.

    Raises
    ------
    ReleaseError
        The document is not valid, by the rules of SPDX 2.3.
    """
    name = document.creation_info.name
    document.packages.sort(key=lambda package: package.spdx_id)
    document.relationships.sort(
        key=lambda relation: (relation.spdx_element_id, str(relation.related_spdx_element_id), str(relation.comment))
    )
    document.extracted_licensing_info.sort(key=lambda licence: str(licence.license_id))
    if problems := validate_full_spdx_document(document, _VERSION):
        first = problems[0]
        place = first.context.spdx_id or first.context.parent_id
        raise ReleaseError(
            f"the SPDX document of {name} is not valid, {place}: {first.validation_message}: "
            "mend what devtools/src/kwitness/devtools/release/bills makes of it"
        )
    text = io.StringIO()
    write_document_to_stream(document, text, validate=False)
    file = folder / f"{name}{SUFFIX}"
    file.write_text(text.getvalue() + "\n", encoding="utf-8")
    return file
