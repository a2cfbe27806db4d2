"""Makes `maven/`: a Maven repository with the broker plugin, the interceptors, the headers and their parent."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

from kwitness.devtools.release.maven_requirements import lacks
from kwitness.devtools.release.openpgp import sign_files
from kwitness.devtools.release.release import REPOSITORY, Release, ReleaseError, version_remedy
from kwitness.images.commands import Progress, run
from kwitness.images.image_parts import copy_content

__all__ = ["PROJECTS", "maven"]

PROJECTS: Final = ("java-parent", "broker-plugin", "interceptors-java", "headers-java")
"""Folders in `services/`, the parent of the others first."""
_SKIPPED: Final = ("maven.test.skip", "checkstyle.skip", "spotbugs.skip", "maven.install.skip")
"""Done by `make test-java`; and to install would leave the artefacts in the repository of this machine's user."""


def maven(release: Release, progress: Progress) -> None:
    """Deploy into an empty repository, the same bytes for the same commit, and sign where there is a key.

    Built from a copy, so that builds of the same sources are not disturbed. Maven's lists of versions are left out:
    they have the time of the deployment, and each repository that the files are uploaded to writes its own.

    Raises
    ------
    ReleaseError
        A POM lacks a field that public repositories require, is of another version, or the key cannot sign.
    CommandFailedError
        Maven failed.
    """
    for project in PROJECTS:
        if missing := lacks(REPOSITORY / "services" / project / "pom.xml"):
            raise ReleaseError(
                f"services/{project}/pom.xml and its parent have no {', '.join(missing)}, which public Maven "
                "repositories require: add them to services/java-parent/pom.xml"
            )
    repository = release.empty_folder("maven")
    properties = [f"-D{name}=true" for name in _SKIPPED]
    properties += [
        f"-DaltDeploymentRepository=release::file://{repository}",
        f"-Dproject.build.outputTimestamp={release.created}",
    ]
    with tempfile.TemporaryDirectory(prefix="kwitness-maven-") as path:
        sources = Path(path)
        copy_content(REPOSITORY / ".mvn", sources / ".mvn")
        for project in PROJECTS:
            copy_content(REPOSITORY / "services" / project, sources / project)
        for project in PROJECTS:
            progress(project)
            pom = sources / project / "pom.xml"
            run(["mvn", "-q", "-B", "--no-transfer-progress", "-P", "release", "-f", pom, *properties, "deploy"])
    for file in repository.rglob("maven-metadata.xml*"):
        file.unlink()
    _check_versions(release, repository)
    files = [file for file in repository.rglob("*") if file.suffix in {".jar", ".pom"}]
    if release.openpgp_key is None:
        progress(f"{len(files)} files, not signed: no OpenPGP key is given")
        return
    sign_files(sorted(files), release.openpgp_key)
    progress(f"{len(files)} files, each with its signature")


def _check_versions(release: Release, repository: Path) -> None:
    expected = repository.joinpath(*release.identity.group.split("."))
    for pom in repository.rglob("*.pom"):
        if pom.parent.name != release.version or pom.parents[2] != expected:
            raise ReleaseError(
                f"{pom.relative_to(repository)} is not of group {release.identity.group} and version "
                f"{release.version}: {version_remedy(release.version)}"
            )
