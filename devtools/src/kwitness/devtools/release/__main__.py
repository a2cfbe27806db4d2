"""Makes a release, or single steps of it: `make release VERSION=0.2.0 OUT=dist/release REGISTRY=127.0.0.1:5000`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kwitness.devtools.release.release import Release, ReleaseError
from kwitness.devtools.release.steps import STEPS
from kwitness.images.commands import CommandFailedError


def main() -> int:
    """Run the steps that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.devtools.release", description=__doc__)
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"of {', '.join(STEPS)}; without: all")
    parser.add_argument("--version", required=True, help="such as 0.2.0")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where its files are written")
    parser.add_argument("--registry", required=True, metavar="HOST[/PATH]", help="where images and charts are pushed")
    parser.add_argument("--key", type=Path, metavar="FILE", help="private key that signs; without, nothing is signed")
    parser.add_argument(
        "--openpgp-key", type=Path, metavar="FILE", help="secret OpenPGP key that signs Maven's artefacts"
    )
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.steps if name not in STEPS]:
        parser.error(f"no step is called {', '.join(unknown)}: there are {', '.join(STEPS)}")
    release = Release(
        version=arguments.version,
        out=arguments.out.resolve(),
        registry=arguments.registry,
        key=arguments.key,
        openpgp_key=arguments.openpgp_key,
    )
    try:
        for name in arguments.steps or STEPS:
            print(f"{name}:", flush=True)
            STEPS[name](release, lambda line: print(f"  {line}", flush=True))
    except (ReleaseError, CommandFailedError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
