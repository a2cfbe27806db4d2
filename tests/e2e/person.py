"""A person at a terminal, for lines that pages have their readers type."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from kwitness.demo.platform import NAMESPACE, Platform
from kwitness.e2e import binaries

_INTERRUPTED = 130


class Person:
    """At a terminal, with a kubeconfig whose namespace is the platform's."""

    def __init__(self, platform: Platform, folder: Path) -> None:
        config = folder / "kubeconfig"
        shutil.copy(platform.cluster.kubeconfig, config)
        tools = folder / "bin"
        tools.mkdir()
        (tools / "kubectl").symlink_to(binaries.kubectl())
        own = Path(sys.executable).parent
        path = os.pathsep.join((str(tools), str(own), os.environ["PATH"]))
        self._environment = {**os.environ, "KUBECONFIG": str(config), "PATH": path, "COLUMNS": "240"}
        self.types(f"kubectl config set-context --current --namespace={NAMESPACE}")

    def types(self, line: str, *, ends: frozenset[int] = frozenset({0})) -> str:
        """Type a line; gives what it printed."""
        done = subprocess.run(
            ["bash", "-c", line], env=self._environment, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode in ends, f"{line}\n{done.stdout}{done.stderr}"
        return done.stdout

    def watches(self, line: str, seconds: int) -> str:
        """Type a line that goes on until Ctrl-C, and press that after a while."""
        return self.types(f"timeout --preserve-status --signal=INT {seconds} {line}", ends=frozenset({_INTERRUPTED}))
