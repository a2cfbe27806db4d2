"""Makes `crates/`: the crate that reads Kafka's protocol, as a registry of crates takes it."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from kwitness.devtools.release.release import REPOSITORY, Release, ReleaseError, version_remedy
from kwitness.images.commands import Progress, run

__all__ = ["CRATE", "crates"]

CRATE = "kwitness-protocol"


def crates(release: Release, progress: Progress) -> None:
    """Package the crate, and build it from the package, without the workspace around it.

    Raises
    ------
    ReleaseError
        The crate is of another version.
    CommandFailedError
        Cargo refused to package it, or the package does not compile.
    """
    folder = release.empty_folder("crates")
    name = f"{CRATE}-{release.version}.crate"
    with tempfile.TemporaryDirectory(prefix="kwitness-crate-") as path:
        # That nothing differs from the commit is for the step `check` to say, which names the files.
        manifest = REPOSITORY / "Cargo.toml"
        options: list[str | Path] = ["--locked", "--allow-dirty", "--manifest-path", manifest, "--target-dir", path]
        run(["cargo", "package", "--quiet", "--package", CRATE, *options], environment={"CARGO_TARGET_DIR": path})
        packages = sorted(Path(path, "package").glob("*.crate"))
        if [package.name for package in packages] != [name]:
            raise ReleaseError(
                f"Cargo packaged {', '.join(package.name for package in packages)}, not {name}: "
                f"{version_remedy(release.version)}"
            )
        shutil.copy(packages[0], folder)
    progress(name)
