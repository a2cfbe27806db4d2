"""`python -m kwitness.contracts.generate [--check]`: write generated files, or name those that are stale."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[5]
"""The repository; this module runs from a checkout only."""

# Tables come first and alone: later stages import them.
STAGES = (
    ("kwitness.contracts.generate.tables", "tables"),
    ("kwitness.contracts.generate.crds", "crds"),
    ("kwitness.contracts.generate.event_schemas", "event_schemas"),
    ("kwitness.contracts.generate.http_api", "http_api"),
    ("kwitness.contracts.generate.java_constants", "java_constants"),
    ("kwitness.contracts.generate.rust_metrics", "rust_metrics"),
    ("kwitness.contracts.generate.spark_schemas", "spark_schemas"),
    ("kwitness.contracts.generate.vectors", "vectors"),
    ("kwitness.contracts.generate.reference", "reference"),
)


def outputs(stage: tuple[str, str]) -> Iterator[tuple[Path, str]]:
    """Yield path and text of each file of one stage."""
    module, function = stage
    yield from getattr(importlib.import_module(module), function)(ROOT)


def main(arguments: list[str] | None = None) -> int:
    """Write or check all generated files; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.contracts.generate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is stale")
    check = parser.parse_args(arguments).check
    stale = []
    for stage in STAGES:
        for path, text in outputs(stage):
            if path.is_file() and path.read_text(encoding="utf-8") == text:
                continue
            stale.append(path.relative_to(ROOT))
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    for path in stale:
        (sys.stderr if check else sys.stdout).write(f"{'stale: ' if check else 'wrote '}{path}\n")
    if check and stale:
        sys.stderr.write("run `make generate` and commit the result\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
