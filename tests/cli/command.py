"""The command as a process, at a terminal or not, with a kubeconfig of somebody."""

from __future__ import annotations

import errno
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from kwitness.cli.__main__ import main
from kwitness.e2e.api_server import ApiServer
from kwitness.sandbox.waiting import run_to_end, wait_for_exit

PROGRESS = re.compile(r"\x1b\[\?25l.*?\x1b\[\?25h\s*(?:\x1b\[1A)?\x1b\[2K", re.DOTALL)
COMMAND = (sys.executable, "-m", "kwitness.cli")


class Ended(NamedTuple):
    """What a run left."""

    returncode: int
    stdout: str
    stderr: str


class Person:
    """Somebody with a kubeconfig, who types."""

    def __init__(self, kubeconfig: Path, home: Path) -> None:
        self.kubeconfig = kubeconfig
        # A running `kwitness try` of this user is not found.
        self.environment = {
            "KUBECONFIG": str(kubeconfig),
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            "XDG_RUNTIME_DIR": str(home),
        }

    def types(self, *arguments: str) -> Ended:
        """Run it in this process, where a process of its own would say nothing else and take a second."""
        out, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(errors):
            status = main(["--kubeconfig", str(self.kubeconfig), *arguments])
        return Ended(status, out.getvalue(), errors.getvalue())

    def done(self, *arguments: str) -> str:
        """Run it, and return what it answers; it succeeds."""
        ended = self.types(*arguments)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def runs(self, *arguments: str, **environment: str) -> Ended:
        """Run it as a process, into pipes."""
        done = run_to_end([*COMMAND, *arguments], env={**self.environment, **environment})
        return Ended(done.returncode, done.stdout, done.stderr)

    def at_a_terminal(self, *arguments: str, columns: int = 80, **environment: str) -> str:
        """Run it at a terminal of so many columns, and return all that is on it."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            env={**self.environment, "TERM": "xterm-256color", **environment},
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
            if error.errno != errno.EIO:  # what Linux says when the last process has closed it
                raise
        finally:
            os.close(ours)
        assert wait_for_exit(process) == 0, shown.decode()
        # What took long said so, and took it back.
        return PROGRESS.sub("", shown.decode().replace("\r\n", "\n"))


def kubeconfig_with(api: ApiServer, path: Path, token: str) -> Path:
    """Write a kubeconfig of the administrator's with another token."""
    content: dict[str, Any] = json.loads(api.kubeconfig.read_text())
    content["users"][0]["user"] = {"token": token}
    path.write_text(json.dumps(content))
    return path
