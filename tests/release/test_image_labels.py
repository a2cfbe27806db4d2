"""Labels of images are those of the release and of its identity."""

from __future__ import annotations

import re
from pathlib import Path

from kwitness.devtools.release.images import labels
from kwitness.devtools.release.release import Release

from tests.release.conftest import VERSION, Sources


def test_labels_name_version_commit_source_licence_and_time(sources: Sources, tmp_path: Path) -> None:
    release = Release(version=VERSION, out=tmp_path, registry="127.0.0.1:5000")

    found = {
        name.removeprefix("org.opencontainers.image."): value for name, value in labels(release, "operator").items()
    }

    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found.pop("created"))
    assert found == {
        "title": "kwitness operator",
        "version": VERSION,
        "source": release.identity.repository,
        "revision": release.commit,
        "licenses": "Apache-2.0",
    }
