"""Lists the packages of others that a release contains, from the locks, with their licences."""

from __future__ import annotations

import importlib.metadata
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

from kwitness.devtools.release.release import REPOSITORY, ReleaseError
from kwitness.images.commands import run

__all__ = ["Package", "listed_artifacts", "maven_artifacts", "python_packages", "rust_crates"]

_PINNED: Final = re.compile(r"^[A-Za-z0-9].*==[^\\\n]*", re.MULTILINE)
_CRATE: Final = re.compile(r"^(\S+) v(\S+)[^|]*\|(.*)$")
_ARTIFACT: Final = re.compile(r"\s+((?:\([^)]*\) )+).*\(([^\s:(]+:[^\s:]+):(\S+) - ")
_PARENTHESES: Final = re.compile(r"\(([^)]*)\)")
_CLASSIFIER: Final = "License :: OSI Approved :: "
_LONGEST_NAME: Final = 60
_LICENCES: Final = "org.codehaus.mojo:license-maven-plugin:2.5.0:add-third-party"


@dataclass(frozen=True, order=True)
class Package:
    """One version of a package."""

    kind: str
    """Type of package as package URLs have it: `pypi`, `cargo` or `maven`."""
    name: str
    """In `maven` group and artefact, with a colon between them."""
    version: str
    licence: str
    """As its authors declare it: an SPDX expression or a name."""

    @property
    def url(self) -> str:
        """The package URL (purl)."""
        return f"pkg:{self.kind}/{self.name.replace(':', '/')}@{self.version}"


def python_packages(lock: Path) -> list[Package]:
    """Return the packages of a lock that Linux needs; this environment, which has them all, knows their licences.

    Raises
    ------
    ReleaseError
        The environment has another version.
    """
    pinned = map(Requirement, _PINNED.findall(lock.read_text(encoding="utf-8")))
    needed = (pin for pin in pinned if pin.marker is None or pin.marker.evaluate())
    return sorted(_installed(pin.name, str(pin.specifier).removeprefix("=="), lock) for pin in needed)


def rust_crates(*crates: str) -> list[Package]:
    """Return the crates that are linked into crates of this workspace, without ours."""
    # Features are parts for one artefact, such as what makes a module of Python.
    chosen = [word for crate in crates for word in ("--package", crate)]
    tree = [
        "cargo",
        "tree",
        "--quiet",
        "--locked",
        "--all-features",
        "--edges=normal,no-proc-macro",
        "--prefix=none",
        "--format={p}|{l}",
    ]
    lines = run([*tree, *chosen], directory=REPOSITORY).splitlines()
    found = (_CRATE.match(line.removesuffix(" (*)")) for line in lines if line)
    return sorted(
        {Package("cargo", crate[1], crate[2], crate[3]) for crate in found if crate and crate[1].count("kwitness") == 0}
    )


def maven_artifacts(pom: Path) -> list[Package]:
    """Return the artefacts that a project brings, those of its tests and of its environment left out."""
    with tempfile.TemporaryDirectory() as folder:
        options = ("acceptPomPackaging=true", "excludedScopes=test,provided", f"outputDirectory={folder}")
        maven: list[str | Path] = ["mvn", "-q", "-B", "--no-transfer-progress", "-f", pom, _LICENCES]
        run([*maven, *(f"-Dlicense.{option}" for option in options)])
        listed = Path(folder, "THIRD-PARTY.txt")
        return listed_artifacts(listed) if listed.exists() else []


def listed_artifacts(listed: Path) -> list[Package]:
    """Return the artefacts that Maven's plugin for licences has listed."""
    lines = map(_ARTIFACT.match, listed.read_text(encoding="utf-8").splitlines())
    return sorted(
        Package("maven", line[2], line[3], ", ".join(_PARENTHESES.findall(line[1]))) for line in lines if line
    )


def _installed(name: str, version: str, lock: Path) -> Package:
    try:
        metadata = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        metadata = None
    if metadata is None or metadata["Version"] != version:
        found = "none" if metadata is None else metadata["Version"]
        raise ReleaseError(f"{lock} has {name} {version}, and the Python environment {found}: run `make setup`")
    declared = [text for field in ("License-Expression", "License") for text in metadata.get_all(field, [])]
    names = [line.removeprefix(_CLASSIFIER) for line in metadata.get_all("Classifier", []) if _CLASSIFIER in line]
    # Some packages have the text of their licence there.
    short = [text for text in declared if len(text) <= _LONGEST_NAME and "\n" not in text]
    return Package("pypi", name.lower(), version, short[0] if short else ", ".join(names) or "see the package")
