"""What Java's interceptors take of a client's time: `make bench-interceptors`.

The same application with the agent and without, each a process on a processor of its own, by turns in random order; the
one with the agent also calls the hooks that its clients have, in a loop.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from interceptors.applications import (
    BROKER,
    CLIENTS,
    OURS,
    PLAIN,
    Application,
    broker_and_collector,
    has_counted,
    intercepted,
    measured,
)
from interceptors.hook_time import LIVE, OF_HOOKS, section

from kwitness.bench.results import write_results
from kwitness.e2e.kafka.jars import kafka_jars
from kwitness.images.commands import run
from kwitness.images.image_parts import java_interceptors

KINDS = ("Audit", "Latency", "Sizes", "Cardinality", "Stats")
JVM = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:-UsePerfData")
SETTING = f"kafka-clients {BROKER} under the agent; counted are {', '.join(KINDS)}."


def main() -> int:
    """Measure and write `interceptors_java.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--blocks", type=int, default=12)
    parser.add_argument("--records", type=int, default=200_000, help="of each work in a block")
    parser.add_argument("--warm", type=int, default=1_000_000, help="records of each work before the first block")
    wanted = parser.parse_args()
    load_average = os.getloadavg()[0]
    agent, jars = java_interceptors(print), kafka_jars(BROKER)
    with tempfile.TemporaryDirectory() as name, broker_and_collector() as (bootstrap, collector):
        folder = Path(name)
        run(["javac", "--release", "17", "-cp", f"{jars}/*", "-d", folder, CLIENTS / "java/Application.java"])
        program = ["-cp", f"{folder}:{jars}/*", "Application"]
        variables = intercepted(folder, collector.url, KINDS)
        with ExitStack() as stack:
            applications = {
                PLAIN: stack.enter_context(Application(["java", *JVM, *program], bootstrap, {})),
                OURS: stack.enter_context(
                    Application(["java", *JVM, f"-javaagent:{agent}", *program], bootstrap, variables)
                ),
            }
            found = measured(
                applications,
                list(LIVE),
                of_ours=list(OF_HOOKS.values()),
                blocks=wanted.blocks,
                records=wanted.records,
                warm=wanted.warm,
            )
        has_counted(collector, wanted.blocks * wanted.records)
    raw = {"kafka": BROKER, "kinds": KINDS, "load_average": load_average, "records": wanted.records, "blocks": found}
    text = section("Interceptors in Java: time in hooks", SETTING, found, wanted.records, load_average)
    write_results(wanted.results, "interceptors_java", raw, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
