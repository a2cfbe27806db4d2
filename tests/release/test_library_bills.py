"""Bills of libraries name what they require, and what compilers have put into them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from spdx_tools.spdx.model import Document
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

from kwitness.devtools.release.bills.document import describing, write
from kwitness.devtools.release.bills.libraries import crate_bill
from kwitness.devtools.release.bills.packages import described
from kwitness.devtools.release.bills.step import library_bills
from kwitness.devtools.release.bills.wheels import wheel_bill
from kwitness.devtools.release.release import Release, ReleaseError

from tests.release.documents import packages, related
from tests.release.test_wheels import METADATA, OLD, wheel

REQUIREMENTS = """\
Requires-Dist: PyYAML>=6
Requires-Dist: aiohttp>=3.14; extra == "collector"
Requires-Dist: kwitness[collector]; extra == "command"
Provides-Extra: collector
Provides-Extra: command
Description-Content-Type: text/markdown
"""


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return Release(version="0.2.0", out=tmp_path, registry="127.0.0.1:5000")


def written(document: Document, folder: Path) -> dict[str, Any]:
    """Write a document; return what the file has, which is read again without errors."""
    file = write(document, folder)
    assert validate_full_spdx_document(parse_file(str(file))) == []
    content: dict[str, Any] = json.loads(file.read_text())
    return content


def test_a_bill_names_the_wheel_and_what_installers_choose_for_it(release: Release, tmp_path: Path) -> None:
    path = wheel(tmp_path, metadata=METADATA.replace("Description-Content-Type: text/markdown\n", REQUIREMENTS))
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()

    document = written(wheel_bill(release, path), tmp_path)

    assert document["spdxVersion"] == "SPDX-2.3"
    assert document["name"] == path.name
    assert document["creationInfo"]["created"] == release.created
    assert document["documentNamespace"] == f"{release.identity.downloads}/0.2.0/sbom/{path.name}-{sha256}"
    own = packages(document)["pkg:pypi/kwitness@0.2.0"]
    assert (own["versionInfo"], own["licenseDeclared"], own["packageFileName"]) == ("0.2.0", "Apache-2.0", path.name)
    assert own["checksums"] == [{"algorithm": "SHA256", "checksumValue": sha256}]
    assert related(document, "pkg:pypi/kwitness@0.2.0", "DEPENDS_ON") == {"pkg:pypi/pyyaml"}
    assert related(document, "pkg:pypi/aiohttp", "OPTIONAL_DEPENDENCY_OF") == {"pkg:pypi/kwitness@0.2.0"}
    comments = {relation.get("comment") for relation in document["relationships"]}
    assert comments == {None, "PyYAML>=6", 'aiohttp>=3.14; extra == "collector"'}


def test_the_module_of_python_is_named_with_what_is_linked_into_it(release: Release, tmp_path: Path) -> None:
    metadata = METADATA.replace("Name: kwitness", "Name: kwitness-otlp")
    path = wheel(tmp_path, f"kwitness-0.2.0-cp311-abi3-{OLD}", metadata)

    document = written(wheel_bill(release, path), tmp_path)

    own = "pkg:cargo/kwitness-otlp@0.2.0"
    assert related(document, "pkg:pypi/kwitness-otlp@0.2.0", "CONTAINS") == {own}
    linked = {url.partition("@")[0]: url for url in related(document, own, "STATIC_LINK")}
    assert packages(document)[linked["pkg:cargo/pyo3"]]["licenseDeclared"] == "MIT OR Apache-2.0"


def test_the_crate_needs_the_crates_of_its_lock(release: Release, tmp_path: Path) -> None:
    file = tmp_path / "kwitness-protocol-0.2.0.crate"
    file.write_bytes(b"a crate")

    document = written(crate_bill(release, file), tmp_path)

    needed = {url.partition("@")[0] for url in related(document, "pkg:cargo/kwitness-protocol@0.2.0", "DEPENDS_ON")}
    assert {"pkg:cargo/memchr", "pkg:cargo/serde_json"} <= needed


def test_the_same_artefact_has_the_same_bill(release: Release, tmp_path: Path) -> None:
    path = wheel(tmp_path)

    texts = {write(wheel_bill(release, path), tmp_path).read_bytes() for _ in range(2)}

    assert len(texts) == 1


@pytest.mark.parametrize(
    ("licence", "declared", "comment"),
    [
        ("MIT/Apache-2.0", "MIT OR Apache-2.0", None),
        ("Apache-2.0 WITH LLVM-exception", "Apache-2.0 WITH LLVM-exception", None),
        ("Apache License, Version 2.0", "NOASSERTION", "Declared as: Apache License, Version 2.0"),
        ("", "NOASSERTION", None),
    ],
)
def test_a_licence_is_an_expression_or_a_comment(licence: str, declared: str, comment: str | None) -> None:
    package = described("cargo", "a", "1", "pkg:cargo/a@1", licence=licence)

    assert (str(package.license_declared), package.license_comment) == (declared, comment)


def test_a_document_that_is_not_valid_is_not_written(release: Release, tmp_path: Path) -> None:
    root = described("pypi", "a", "1", "pkg:pypi/a@1", sha256="no checksum")

    with pytest.raises(
        ReleaseError, match=r"the SPDX document of a is not valid, SPDXRef-pypi-a-1: .*checksum.*: mend"
    ):
        write(describing(release, "a", root, sha256="0"), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_release_without_libraries_has_no_bills(release: Release) -> None:
    with pytest.raises(ReleaseError, match="python has nothing that a bill could describe: run the step python before"):
        list(library_bills(release))
