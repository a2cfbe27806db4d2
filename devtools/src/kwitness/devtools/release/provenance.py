"""Writes `provenance.json`: the commit, locks and command that made a release, as a statement of in-toto (SLSA 1.0).

The statement claims no level of SLSA: a person with this machine could have written another one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from kwitness.devtools.release.checksums import CHECKSUMS, PUBLIC_KEY, digests, sha256_of
from kwitness.devtools.release.pushed import pushed
from kwitness.devtools.release.release import REPOSITORY, Release
from kwitness.images.commands import Progress

__all__ = ["PROVENANCE", "provenance"]

PROVENANCE: Final = "provenance.json"
_LOCKS: Final = ("Cargo.lock", "images/base/*.lock", "images/spark-s3a/jars.sha256", "locks/*.txt")
"""Files that pin what a release is made of."""


def provenance(release: Release, progress: Progress) -> None:
    """Write the statement, of images and charts in the registry and of files.

    Raises
    ------
    ReleaseError
        Images and charts are not made.
    """
    subjects = [*_in_registry(release), *_files(release)]
    url = release.identity.repository
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": f"{url}/docs/dev/release.md",
                "externalParameters": {"version": release.version, "registry": release.registry},
                "resolvedDependencies": [
                    {"uri": f"git+{url}", "digest": {"gitCommit": release.commit}},
                    *(
                        {"uri": path.relative_to(REPOSITORY).as_posix(), "digest": {"sha256": sha256_of(path)}}
                        for pattern in _LOCKS
                        for path in sorted(REPOSITORY.glob(pattern))
                    ),
                ],
            },
            "runDetails": {"builder": {"id": f"{url}/Makefile#release"}},
        },
    }
    (release.out / PROVENANCE).write_text(json.dumps(statement, indent=2) + "\n", encoding="utf-8")
    progress(f"{PROVENANCE}: {len(subjects)} artefacts of commit {release.commit[:12]}")


def _in_registry(release: Release) -> Iterator[dict[str, Any]]:
    for artefact in pushed(release):
        yield {"name": artefact.name, "digest": {"sha256": artefact.digest.removeprefix("sha256:")}}


def _files(release: Release) -> Iterator[dict[str, Any]]:
    """Return all files but the image layout, whose images have digests of their own."""
    for name, digest in digests(release.out):
        if not name.startswith(("images/", CHECKSUMS, PROVENANCE, PUBLIC_KEY)):
            yield {"name": name, "digest": {"sha256": digest}}
