"""Reference pages that come from other languages than Python: write them, or tell that they are stale.

Usage: `python -m kwitness.e2e.reference [--check]`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from kwitness.e2e.commands import run
from kwitness.e2e.java_programs import plugin_jar
from kwitness.e2e.kafka_jars import KAFKA_VERSIONS, kafka_jars

_ROOT = Path(__file__).resolve().parents[4]
BROKER_PLUGIN_PAGE = _ROOT / "docs" / "reference" / "broker-plugin.md"


def broker_plugin_page() -> str:
    """The broker plugin's page, from its configuration definitions.

    Raises
    ------
    CommandFailedError
        The plugin could not be built or run.
    """
    classpath = f"{plugin_jar()}:{kafka_jars(KAFKA_VERSIONS[-1])}/*"
    return run(["java", "-cp", classpath, "dev.kwitness.broker.ReferencePage"])


def main(arguments: list[str]) -> int:
    """Write the pages; with `--check` only compare, and return 1 when one is stale."""
    page = broker_plugin_page()
    if "--check" in arguments:
        fresh = BROKER_PLUGIN_PAGE.is_file() and BROKER_PLUGIN_PAGE.read_text() == page
        if not fresh:
            print(f"stale: {BROKER_PLUGIN_PAGE.relative_to(_ROOT)}; run `make generate` and commit", file=sys.stderr)
        return 0 if fresh else 1
    BROKER_PLUGIN_PAGE.parent.mkdir(parents=True, exist_ok=True)
    BROKER_PLUGIN_PAGE.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
