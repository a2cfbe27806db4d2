"""Builds report what is done of all, the time spent, and the time left at this machine's speed so far."""

from __future__ import annotations

import re
import secrets
from pathlib import Path

import pytest

from kwitness.e2e.binaries import GoCommand, built
from kwitness.images import measured
from kwitness.images.commands import CommandFailedError, run
from kwitness.images.measured import CARGO_BAR, Measured, cargo_units


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines of a measurement that reports each step."""
    monkeypatch.setattr(measured, "_EVERY_S", 0.0)
    return []


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_the_time_left_follows_from_the_time_spent(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(measured.time, "monotonic", lambda: now[0])
    packages = Measured("packages", lines.append, total=900)

    now[0] = 140.0
    packages.reach(120, 900)

    assert lines == ["120 of 900 packages, 40 s, about 260 s left"]


def test_a_build_is_reported_every_fifteen_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    now, lines = [0.0], list[str]()
    monkeypatch.setattr(measured.time, "monotonic", lambda: now[0])
    packages = Measured("packages", lines.append, total=60)
    for _ in range(60):
        now[0] += 1
        packages.step()

    assert [line.partition(",")[0] for line in lines] == [f"{done} of 60 packages" for done in (15, 30, 45, 60)]


def test_nothing_is_reported_while_the_total_is_not_known(lines: list[str]) -> None:
    Measured("packages", lines.append).step()

    assert lines == []


def test_go_counts_the_packages_that_it_compiles(
    lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    module = tmp_path / "program"
    write(module / "go.mod", "module example.org/program\n\ngo 1.24\n")
    for name in ("first", "second"):
        write(module / name / "it.go", f'package {name}\n\nconst Word = "{secrets.token_hex(8)}"\n')
    imports = 'import (\n"example.org/program/first"\n"example.org/program/second"\n)\n'
    write(module / "main.go", f"package main\n{imports}func main() {{ println(first.Word, second.Word) }}\n")

    run([built(GoCommand("program", tmp_path / "program"), lines.append) / "program"])

    counts = [re.fullmatch(r"(\d+) of (\d+) packages, \d+ s, about \d+ s left", line) for line in lines[1:]]
    assert lines[0] == "building program from Go modules"
    done = [(int(found[1]), int(found[2])) for found in counts if found]
    assert done == [(number, len(done)) for number in range(1, len(done) + 1)]
    assert len(done) >= 3


def test_a_build_that_fails_has_its_output_in_the_error(lines: list[str], tmp_path: Path) -> None:
    write(tmp_path / "broken" / "go.mod", "module example.org/broken\n\ngo 1.24\n")
    write(tmp_path / "broken" / "main.go", "package main\nfunc main() { nonsense() }\n")

    with pytest.raises(CommandFailedError, match="undefined: nonsense"):
        built(GoCommand("broken", tmp_path / "broken"), lines.append)


def test_cargo_counts_its_units(lines: list[str], tmp_path: Path) -> None:
    head = '[package]\nversion = "0.1.0"\nedition = "2021"\n'
    write(
        tmp_path / "Cargo.toml", f'{head}name = "program"\n[dependencies]\nfirst = {{ path = "first" }}\n[workspace]\n'
    )
    write(tmp_path / "first" / "Cargo.toml", f'{head}name = "first"\n')
    write(tmp_path / "first" / "src" / "lib.rs", "pub fn word() {}\n")
    write(tmp_path / "src" / "main.rs", "fn main() { first::word() }\n")

    build = ["cargo", "build", "--offline"]
    run(build, directory=tmp_path, environment=CARGO_BAR, on_line=cargo_units(Measured("crates", lines.append)))

    assert [line.partition(",")[0] for line in lines] == ["1 of 2 crates"]


def test_an_interrupted_build_leaves_no_compiler() -> None:
    def interrupt(_line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(["sh", "-c", "echo begun; exec sleep 600"], on_line=interrupt)
