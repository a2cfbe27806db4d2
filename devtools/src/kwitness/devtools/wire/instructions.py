"""Instructions that reading Kafka's protocol takes for one exchange, beside what they were: `make test-wire`.

Usage: `python -m kwitness.devtools.wire.instructions [--write]`. The program
`services/recording/benches/instructions.rs` runs under valgrind, built for release; a count is the same at each run,
however busy the machine is. What is done once is left out, because two runs of different length are compared.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kwitness.images.cache import rust_target
from kwitness.images.commands import run

__all__ = ["BASELINE", "Counts", "judged", "main", "measured"]

_ROOT: Final = Path(__file__).resolve().parents[5]
BASELINE: Final = _ROOT / "services/recording/benches/instructions.json"

_INPUTS: Final = {
    "produce count": "one Produce of 4 KiB, followed and counted",
    "fetch count": "one Fetch of 4 KiB, followed and counted",
    "produce rewrite": "one Produce of 4 KiB, looked through for addresses",
    "fetch rewrite": "one Fetch of 4 KiB, looked through for addresses",
}
_SHORT, _LONG = 1_000, 3_000
"""Exchanges of the two runs."""
_ALLOWED: Final = 1.05
_REFRESH: Final = "`make instructions` writes what is measured now into services/recording/benches/instructions.json"


@dataclass(frozen=True)
class Counts:
    """Instructions for one exchange by input, and the compiler (version, target) whose program took them."""

    compiler: str
    by_input: Mapping[str, int]

    @classmethod
    def read(cls, file: Path) -> Counts:
        """Take what `write` wrote."""
        content = json.loads(file.read_text())
        return cls(content["compiler"], content["instructions_per_exchange"])

    def write(self, file: Path) -> None:
        """Keep it for `read`."""
        content = {"compiler": self.compiler, "instructions_per_exchange": dict(self.by_input)}
        file.write_text(json.dumps(content, indent=2) + "\n")


def measured() -> Counts:
    """Build the program and count.

    Raises
    ------
    CommandFailedError
        It did not compile, or failed; its output is in the message.
    """
    program = _built()
    counts = {
        name: round((_instructions(program, name, _LONG) - _instructions(program, name, _SHORT)) / (_LONG - _SHORT))
        for name in _INPUTS
    }
    return Counts(_compiler(), counts)


def judged(now: Counts, baseline: Counts) -> tuple[list[str], list[str]]:
    """What was measured, a line for each input, and what is wrong with it."""
    if now.compiler != baseline.compiler:
        problem = f"the baseline was measured with {baseline.compiler}, and here is {now.compiler}: {_REFRESH}"
        return [], [problem]
    lines, problems = [], []
    for name, count in now.by_input.items():
        before = baseline.by_input[name]
        line = f"{_INPUTS[name]}: {count:,} instructions, baseline {before:,} ({count / before - 1:+.1%})"
        if count > before * _ALLOWED:
            problems.append(f"{line}, and {_ALLOWED - 1:.0%} more are allowed; if they are worth it, {_REFRESH}")
        is_gain = count * _ALLOWED < before
        lines.append(f"{line}; to hold on to what was gained, {_REFRESH}" if is_gain else line)
    return lines, problems


def _built() -> Path:
    """The program, built for release where builds for images are kept."""
    build = ["cargo", "build", "--quiet", "--locked", "--release", "--package", "kwitness-recording"]
    with rust_target() as target:
        options = ["--bench", "instructions", "--message-format", "json"]
        output = run([*build, *options], directory=_ROOT, environment={"CARGO_TARGET_DIR": str(target)})
    messages = (json.loads(line) for line in output.splitlines())
    return Path(next(message["executable"] for message in messages if message.get("executable")))


def _instructions(program: Path, name: str, exchanges: int) -> int:
    """Instructions of a whole run."""
    with tempfile.NamedTemporaryFile() as profile:
        run(
            [
                "valgrind",
                "--tool=callgrind",
                f"--callgrind-out-file={profile.name}",
                program,
                *name.split(),
                str(exchanges),
            ]
        )
        text = Path(profile.name).read_text()
    return int(re.findall(r"^summary: (\d+)$", text, re.MULTILINE)[0])


def _compiler() -> str:
    """Version and target of the compiler, as `1.95.0 x86_64-unknown-linux-gnu`."""
    said = run(["rustc", "--version", "--verbose"], directory=_ROOT)
    facts = dict(line.split(": ", 1) for line in said.splitlines() if ": " in line)
    return f"{facts['release']} {facts['host']}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and judge it or write it down; the exit status."""
    if "--write" in (sys.argv[1:] if arguments is None else arguments):
        measured().write(BASELINE)
        print(f"written: {BASELINE.relative_to(_ROOT)}")
        return 0
    lines, problems = judged(measured(), Counts.read(BASELINE))
    for line in lines:
        print(line)
    for problem in problems:
        print(f"failed: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
