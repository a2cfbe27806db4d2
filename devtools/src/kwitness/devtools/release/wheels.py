"""Builds the wheels: the command with all Python portions, the observer, and the module that reads pushes in jobs.

Usage: `python -m kwitness.devtools.release.wheels FOLDER [--profile quick]`, which `make wheels` runs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kwitness.devtools.release.release import REPOSITORY
from kwitness.e2e.kafka.broker_plugin import plugin_jar
from kwitness.images.commands import Progress, run, silent
from kwitness.images.image_parts import PLUGIN_GLIBC, QUICK, RELEASE, copy_content, find_uv, flags_without_paths

__all__ = ["build_wheels", "command_wheel"]

_SANDBOX: Final = "services/sandbox/src/kwitness/sandbox"
_NATIVE: Final = ("observer", "otlp")
"""Folders in `services/` of projects that maturin builds."""
_MANYLINUX: Final = f"manylinux_{PLUGIN_GLIBC.replace('.', '_')}"
"""Tag of native wheels: the oldest glibc that Rust's standard library runs with."""


def build_wheels(
    folder: Path, progress: Progress = silent, *, profile: str = RELEASE, epoch: int | None = None
) -> list[Path]:
    """Build all into a folder, in place of those that are there.

    Parameters
    ----------
    profile
        Cargo's profile. In `quick` native wheels are built for this machine's glibc and not for the oldest, which
        compiles every crate again.
    epoch
        Seconds since 1970 that archives contain as the times of their files, else those of the build.

    Raises
    ------
    CommandFailedError
        A build failed; its output is in the message.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for wheel in folder.glob("kwitness*.whl"):
        wheel.unlink()
    times = {} if epoch is None else {"SOURCE_DATE_EPOCH": str(epoch)}
    progress("kwitness")
    command_wheel(folder, environment=times)
    environment = {**times, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])}
    options: list[str | Path] = ["--quiet", "--profile", profile, "--out", folder]
    if profile == RELEASE:
        options += ["--compatibility", _MANYLINUX, "--zig"]
        target = Path(os.environ.get("CARGO_TARGET_DIR") or REPOSITORY / "target")
        environment["CARGO_ENCODED_RUSTFLAGS"] = flags_without_paths(REPOSITORY, target)
    for project in _NATIVE:
        progress(f"kwitness-{project}")
        manifest = REPOSITORY / "services" / project / "Cargo.toml"
        run(["maturin", "build", *options, "--manifest-path", manifest], environment=environment)
    return sorted(folder.glob("kwitness*.whl"))


def command_wheel(folder: Path, *, environment: Mapping[str, str] | None = None) -> Path:
    """Build the wheel of all Python portions into a folder, with the broker plugin for its sandbox.

    Built from a copy: the jar is no part of the sources, and builds at the same time do not disturb each other.

    Raises
    ------
    CommandFailedError
        Maven or the build failed.
    """
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    portions = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    with tempfile.TemporaryDirectory(prefix="kwitness-wheel-") as path:
        sources, built = Path(path, "sources"), Path(path, "built")
        for part in ("pyproject.toml", "README.md", "LICENSE", *portions):
            copy_content(REPOSITORY / part, sources / part)
        shutil.copyfile(plugin_jar(), sources / _SANDBOX / "kwitness-broker-plugin.jar")
        options = ["--quiet", "--wheel", "--no-build-isolation", "--python", sys.executable]
        run([find_uv(), "build", *options, "--out-dir", built, sources], environment=environment)
        (wheel,) = built.glob("*.whl")
        return Path(shutil.copy(wheel, folder))


def main() -> int:
    """Build the wheels and name them."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.devtools.release.wheels", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--profile", choices=(RELEASE, QUICK), default=RELEASE)
    arguments = parser.parse_args()
    for wheel in build_wheels(arguments.folder.resolve(), profile=arguments.profile):
        print(wheel)
    return 0


if __name__ == "__main__":
    sys.exit(main())
