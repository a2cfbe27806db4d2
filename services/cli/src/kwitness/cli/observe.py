"""`kwitness observe`: relays the clients of this machine and shows what passes.

The observer itself does it, a program of the wheel `kwitness-observer`; this process becomes that one, so that
terminal, signals and exit status are its own.
"""

from __future__ import annotations

import importlib.metadata
import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from kwitness.answers.failure import CommandFailedError

PROGRAM = "kwitness-observer"
"""The program, its wheel and its crate have one name."""
_HELP = "services/observer/observe-help.txt"
"""In a clone: the output of --help, so that help needs no build."""
_PLACE_IN_A_CLONE = ("services", "cli", "src", "kwitness", "cli", "observe.py")


def run(arguments: Sequence[str]) -> NoReturn:
    """Become the observer, with these arguments.

    Raises
    ------
    CommandFailedError
        The program is not there, cannot be built, or does not run on this machine.
    """
    options = itertools.takewhile(lambda one: one != "--", arguments)
    if {"-h", "--help"} & set(options) and not installed() and (clone := _clone()) is not None:
        sys.stdout.write((clone / _HELP).read_text(encoding="utf-8"))
        raise SystemExit(0)
    program = find()
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execv(program, ["kwitness", "observe", *arguments])
    except OSError as error:
        raise CommandFailedError(
            f"{program} does not run on this machine ({error.strerror}): install a wheel that was built for it"
        ) from error


def find() -> Path:
    """The program: of the installed wheel, else on the PATH, else built from the clone that this module lies in.

    Raises
    ------
    CommandFailedError
        There is none, or it cannot be built.
    """
    if (program := installed()) is not None:
        return program
    if (clone := _clone()) is not None:
        return _build(clone)
    raise CommandFailedError(
        f"the program {PROGRAM} is neither installed beside it nor on the PATH: "
        "`make wheels` in a clone of kwitness writes its wheel, and `pip install dist/*.whl` installs it"
    )


def installed() -> Path | None:
    """The program of the installed wheel, else on the PATH."""
    return _in_the_wheel() or _on_the_path()


def _in_the_wheel() -> Path | None:
    try:
        files = importlib.metadata.files(PROGRAM) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    places = (Path(os.fspath(file.locate())).resolve() for file in files if file.name == PROGRAM)
    return next((place for place in places if os.access(place, os.X_OK)), None)


def _on_the_path() -> Path | None:
    found = shutil.which(PROGRAM)
    return None if found is None else Path(found)


def _clone() -> Path | None:
    module = Path(__file__).resolve()
    depth = len(_PLACE_IN_A_CLONE)
    return module.parents[depth - 1] if module.parts[-depth:] == _PLACE_IN_A_CLONE else None


def _build(clone: Path) -> Path:
    command = ["cargo", "build", "--profile", "quick", "--locked", "--package", PROGRAM]
    if shutil.which(command[0]) is None:
        raise CommandFailedError(
            f"the program {PROGRAM} is not installed, and Cargo, which builds it from {clone}, is not on the PATH: "
            "see https://rustup.rs"
        )
    # What it builds and what is wrong is shown by Cargo itself, on standard error.
    options = ["--message-format", "json-render-diagnostics"]
    built = subprocess.run([*command, *options], cwd=clone, stdout=subprocess.PIPE, text=True, check=False)
    if built.returncode != 0:
        raise CommandFailedError(f"`{' '.join(command)}` failed in {clone}: see what it wrote above")
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    return Path(next(message["executable"] for message in messages if message.get("executable")))
