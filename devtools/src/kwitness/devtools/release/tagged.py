"""Releases the version of a tag to the registry of `identity.toml`, with keys from the environment: `make release-tag`.

Hosted runs have keys as secrets, which are texts and not files.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kwitness.devtools.release.check import parsed
from kwitness.devtools.release.identity import read_identity
from kwitness.devtools.release.release import ReleaseError

__all__ = ["KEYS", "key_options", "version_of"]

KEYS: Final = {"KWITNESS_SIGNING_KEY": "--key", "KWITNESS_OPENPGP_KEY": "--openpgp-key"}
"""Variables with the text of a key, and the option of a release that has its file."""


def version_of(tag: str) -> str:
    """Return `0.2.0` of `v0.2.0`.

    Raises
    ------
    ReleaseError
        The tag is malformed.
    """
    if not tag.startswith("v"):
        raise ReleaseError(f"the tag {tag!r} names no version: write it as v0.2.0, or v0.2.0-rc.1 for a candidate")
    parsed(tag.removeprefix("v"))
    return tag.removeprefix("v")


def key_options(environment: Mapping[str, str], folder: Path) -> list[str]:
    """Write each key into a file that its owner alone can read, and return the options that name the files.

    Raises
    ------
    ReleaseError
        A key is absent.
    """
    if absent := [name for name in KEYS if not environment.get(name, "").strip()]:
        raise ReleaseError(
            f"a release of a tag is signed, and {' and '.join(absent)} have no text: set them to a private key each, "
            "as docs/dev/hosted-runs.md describes; `make release` makes a release without signatures"
        )
    options = []
    for name, option in KEYS.items():
        file = folder / name.lower()
        file.touch(mode=0o600)
        file.write_text(environment[name].strip() + "\n", encoding="utf-8")
        options += [option, str(file)]
    return options


def main() -> int:
    """Run the release in a process that does not have the texts of the keys."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.devtools.release.tagged", description=__doc__)
    parser.add_argument("tag", help="such as v0.2.0")
    parser.add_argument("steps", nargs="*", metavar="STEP", help="steps of the release; without: all")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where its files are written")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kwitness-keys-") as folder:
        try:
            options = [f"--version={version_of(arguments.tag)}", f"--registry={read_identity().registry}"]
            options += key_options(os.environ, Path(folder))
        except ReleaseError as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        command = [sys.executable, "-m", "kwitness.devtools.release", *arguments.steps, f"--out={arguments.out}"]
        environment = {name: value for name, value in os.environ.items() if name not in KEYS}
        return subprocess.run([*command, *options], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
