"""What librdkafka's plugin takes of a client's time: `make bench-interceptors`.

The same application in C with the plugin and without, each a process on a processor of its own, by turns in random
order; the one with the plugin also calls each hook many times for a record that librdkafka hands over.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import confluent_kafka
from interceptors.applications import (
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
from kwitness.images.commands import run
from kwitness.images.image_parts import PLUGIN_LIBRARY, librdkafka_plugin

KINDS = ("Audit", "Latency", "Sizes", "Cardinality", "Stats")


def librdkafka() -> Path:
    """The library that confluent-kafka's wheel brings.

    Raises
    ------
    RuntimeError
        There is none, or more than one.
    """
    folder = Path(confluent_kafka.__file__).parents[1] / "confluent_kafka.libs"
    found = sorted(folder.glob("librdkafka-*.so*"))
    if len(found) != 1:
        raise RuntimeError(f"{folder} has {len(found)} files of librdkafka: install confluent-kafka's wheel for Linux")
    return found[0]


def main() -> int:
    """Measure and write `interceptors_librdkafka.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--blocks", type=int, default=12)
    parser.add_argument("--records", type=int, default=200_000, help="of each work in a block")
    wanted = parser.parse_args()
    load_average = os.getloadavg()[0]
    plugin, library, version = librdkafka_plugin(print) / PLUGIN_LIBRARY, librdkafka(), confluent_kafka.libversion()[0]
    with tempfile.TemporaryDirectory() as name, broker_and_collector() as (bootstrap, collector):
        folder = Path(name)
        built = folder / "application.so"
        source = CLIENTS / "librdkafka/application.c"
        run(["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", built, source, "-ldl"])
        program: list[str | Path] = [sys.executable, source.with_suffix(".py"), built, library]
        variables = intercepted(folder, collector.url, KINDS)
        with ExitStack() as stack:
            applications = {
                PLAIN: stack.enter_context(Application([*program, ""], bootstrap, {})),
                OURS: stack.enter_context(Application([*program, plugin], bootstrap, variables)),
            }
            found = measured(
                applications,
                list(LIVE),
                of_ours=list(OF_HOOKS.values()),
                blocks=wanted.blocks,
                records=wanted.records,
                warm=wanted.records,
            )
        has_counted(collector, wanted.blocks * wanted.records)
    setting = f"librdkafka {version} and a program in C; counted are {', '.join(KINDS)}."
    raw = {
        "librdkafka": version,
        "kinds": KINDS,
        "load_average": load_average,
        "records": wanted.records,
        "blocks": found,
    }
    text = section("Interceptors in librdkafka: time in hooks", setting, found, wanted.records, load_average)
    write_results(wanted.results, "interceptors_librdkafka", raw, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
