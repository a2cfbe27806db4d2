"""The command as a process, at a terminal or not, with a kubeconfig of somebody."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kwitness.e2e.api_server import ApiServer

COMMAND = (sys.executable, "-m", "kwitness.cli")


class Person:
    """Somebody with a kubeconfig, who types in one namespace."""

    def __init__(self, kubeconfig: Path, home: Path) -> None:
        self.environment = {"KUBECONFIG": str(kubeconfig), "HOME": str(home), "PATH": os.environ["PATH"]}

    def types(self, *arguments: str, environment: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """Run it into pipes."""
        return subprocess.run(
            [*COMMAND, *arguments],
            env={**self.environment, **(environment or {})},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def done(self, *arguments: str) -> str:
        """Run it, and return what it answers; it succeeds."""
        ended = self.types(*arguments)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def at_a_terminal(self, *arguments: str, columns: int = 80, environment: Mapping[str, str] | None = None) -> str:
        """Run it at a terminal of so many columns, and return all that is on it."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            env={**self.environment, "TERM": "xterm-256color", **(environment or {})},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        shown = bytearray()
        try:
            while piece := os.read(ours, 65_536):
                shown += piece
        except OSError as error:
            # What Linux says when the last process has closed it.
            assert error.errno == errno.EIO
        finally:
            os.close(ours)
        assert process.wait(60) == 0, shown.decode()
        return shown.decode().replace("\r\n", "\n")


def kubeconfig_with(api: ApiServer, path: Path, token: str) -> Path:
    """Write a kubeconfig of the administrator's with another token."""
    content: dict[str, Any] = json.loads(api.kubeconfig.read_text())
    content["users"][0]["user"] = {"token": token}
    path.write_text(json.dumps(content))
    return path
