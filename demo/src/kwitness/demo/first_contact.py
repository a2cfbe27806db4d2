"""`make try`: collects Kafka's jars and builds the broker plugin, once, then becomes `kwitness try`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from kwitness.e2e.kafka.broker_plugin import plugin_jar
from kwitness.e2e.kafka.jars import KAFKA_VERSIONS, kafka_jars
from kwitness.images.commands import CommandFailedError
from kwitness.images.image_parts import QUICK, cached_binary

_NOT_WORTH_A_LINE_S: Final = 1.0


def main() -> None:
    """Collect and build what is not in the cache yet, and run the command with these arguments."""
    version = KAFKA_VERSIONS[-1]
    try:
        jars = _timed(f"Kafka {version} from Maven", lambda: kafka_jars(version))
        plugin = _timed("the broker plugin", plugin_jar)
    except CommandFailedError as failed:
        sys.exit(f"\nfailed: {failed}")
    command = [sys.executable, "-m", "kwitness.cli", "try", "--kafka", str(jars), "--plugin", str(plugin)]
    if (observer := cached_binary(profile=QUICK)) is not None:
        os.environ["PATH"] = f"{observer}{os.pathsep}{os.environ['PATH']}"
    elif "--log" in sys.argv:
        command.append("--no-observer")  # the demo builds one for its gateway
    os.execv(sys.executable, [*command, *sys.argv[1:]])


def _timed(what: str, make: Callable[[], Path]) -> Path:
    began = time.monotonic()
    print(f"{what} ...", end="", flush=True)
    made = make()
    passed = time.monotonic() - began
    print(f" {passed:.1f} s" if passed > _NOT_WORTH_A_LINE_S else " in the cache", flush=True)
    return made


if __name__ == "__main__":
    main()
