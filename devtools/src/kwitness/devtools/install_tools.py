"""Installs by apt-get what a target of the Makefile needs and this machine lacks.

Usage: `python3 -m kwitness.devtools.install_tools TARGET`. Imports the standard library alone, as `prerequisites` does.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

from kwitness.devtools.prerequisites import TOOLS, missing

_REMEDY = re.compile(r": apt-get install ([a-z0-9.+-]+)$")


def main(arguments: list[str]) -> int:
    """Install the packages; 1 where no such target exists, a tool comes from elsewhere, or apt-get fails."""
    (target,) = arguments
    if target not in TOOLS:
        print(f"{target!r} is no target with tools of its own: name one of {', '.join(TOOLS)}", file=sys.stderr)
        return 1
    lines = missing(target)
    if others := [line for line in lines if not _REMEDY.search(line)]:
        for line in others:
            print(f"missing, and no package of apt-get: {line}", file=sys.stderr)
        return 1
    packages = sorted({found.group(1) for found in map(_REMEDY.search, lines) if found})
    if not packages:
        return 0
    apt = ["apt-get"] if os.geteuid() == 0 else ["sudo", "apt-get"]
    for command in ([*apt, "update", "-q"], [*apt, "install", "-y", "-q", "--no-install-recommends", *packages]):
        done = subprocess.run(command, check=False)
        if done.returncode != 0:
            print(f"`{' '.join(command)}` failed: install {', '.join(packages)} by hand", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
