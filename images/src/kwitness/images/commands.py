"""Running other programs: what failed, with which output, in one exception."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

#: Receives one line of progress, for a person.
Progress = Callable[[str], None]


class CommandFailedError(RuntimeError):
    """A program ended with an error.

    Attributes
    ----------
    command
        The program and its arguments.
    exit_code
        Its exit status.
    output
        Standard output, then standard error, whole.
    """

    def __init__(self, command: Sequence[str], exit_code: int, output: str) -> None:
        self.command = tuple(command)
        self.exit_code = exit_code
        self.output = output
        shown = "\n".join(output.rstrip().splitlines()[-25:])
        super().__init__(f"`{' '.join(command)}` ended with {exit_code}:\n{shown}")


def run(
    command: Sequence[str | Path],
    *,
    input_text: str | None = None,
    directory: Path | None = None,
    environment: Mapping[str, str] | None = None,
    timeout_seconds: float | None = None,
    on_line: Callable[[str], None] | None = None,
) -> str:
    """Run a program to its end and return its standard output.

    Parameters
    ----------
    command
        Program and arguments; never a shell line.
    environment
        Variables that are set on top of this process's own.
    on_line
        Gets each line of both outputs while the program runs; then both are returned, and there is neither input nor
        a limit of time.

    Raises
    ------
    CommandFailedError
        The program ended with another status than 0.
    FileNotFoundError
        There is no such program.
    subprocess.TimeoutExpired
        It did not end in time; it was killed.
    """
    words = [str(word) for word in command]
    variables = {**os.environ, **(environment or {})}
    if on_line is not None:
        return _run_by_lines(words, on_line, directory, variables)
    done = subprocess.run(
        words,
        input=input_text,
        cwd=directory,
        env=variables,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=timeout_seconds,
    )
    if done.returncode != 0:
        raise CommandFailedError(words, done.returncode, done.stdout + done.stderr)
    return done.stdout


def _run_by_lines(
    words: list[str], on_line: Callable[[str], None], directory: Path | None, variables: Mapping[str, str]
) -> str:
    shown: list[str] = []
    # Text mode takes the carriage returns of a progress bar for ends of lines.
    with subprocess.Popen(
        words,
        cwd=directory,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        try:
            for line in process.stdout or ():
                shown.append(line)
                on_line(line)
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0:
        raise CommandFailedError(words, process.returncode, "".join(shown))
    return "".join(shown)


def pipe(source: Sequence[str | Path], sink: Sequence[str | Path]) -> None:
    """Run `source | sink` without a shell.

    Raises
    ------
    CommandFailedError
        One of the two failed; the sink is named first, because a source fails when its sink is gone.
    """
    words = [[str(word) for word in command] for command in (source, sink)]
    with (
        subprocess.Popen(words[0], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as first,
        subprocess.Popen(words[1], stdin=first.stdout, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as second,
    ):
        if first.stdout is not None:
            first.stdout.close()
        sink_output = second.communicate()[0].decode(errors="replace")
        source_output = first.stderr.read().decode(errors="replace") if first.stderr is not None else ""
        first.wait()
    if second.returncode != 0:
        raise CommandFailedError(words[1], second.returncode, source_output + sink_output)
    if first.returncode != 0:
        raise CommandFailedError(words[0], first.returncode, source_output)


def feed(command: Sequence[str | Path], write: Callable[[IO[bytes]], None]) -> None:
    """Run a program whose standard input a function writes.

    Raises
    ------
    CommandFailedError
        The program failed.
    """
    words = [str(word) for word in command]
    with (
        # In a file: a full pipe would keep the program from reading.
        tempfile.TemporaryFile() as output,
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT) as process,
    ):
        if process.stdin is not None:
            # A program that ended early is known by its status.
            with contextlib.suppress(BrokenPipeError), process.stdin:
                write(process.stdin)
        if process.wait() != 0:
            output.seek(0)
            raise CommandFailedError(words, process.returncode, output.read().decode(errors="replace"))


def silent(_line: str) -> None:
    """Progress for nobody."""
