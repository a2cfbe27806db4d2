"""Operator: a thousand subscriptions to Ready, writes of a resync, resident memory; beside a plain kopf operator.

Both run against the same kind of real API server and a real broker, one after the other, in alternating blocks, on a
core of their own. Ours runs with the packages of its lock, as in its image; the peer with the official client as well.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kwitness.bench.paired_measurement import COMPONENT_CORE, GENERATOR_CORE, cpu_seconds, interval, pin, resident_mb
from kwitness.bench.results import write_results
from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.images.cache import cached_folder, content_key
from kwitness.images.image_parts import find_uv
from kwitness.sandbox.waiting import wait_for_exit, wait_until

ROOT = Path(__file__).resolve().parents[2]
PEER = ROOT / "bench" / "peers" / "plain_operator.py"
OURS = [ROOT / part / "src" for part in ("operator", "services/runtime", "services/subscriptions", "contracts")]
CANDIDATES = ("kwitness", "plain")
RESOURCES = 1000
LIMIT_SECONDS = 600
RESYNC_SECONDS = 20
WRITES = {"create", "update", "patch", "delete"}


def main() -> None:
    """Measure and write `operator_scale.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--blocks", type=int, default=5)
    wanted = parser.parse_args()
    os.sched_setaffinity(0, {GENERATOR_CORE})  # the API server and the broker inherit it
    blocks = [{name: measure(name) for name in random.sample(CANDIDATES, 2)} for _ in range(wanted.blocks)]
    write_results(wanted.results, "operator_scale", blocks, section(blocks))


def measure(name: str) -> dict[str, Any]:
    """One block: a fresh API server and broker, RESOURCES subscriptions, one operator."""
    with LocalBroker() as broker, ApiServer(users=["operator"]) as api, tempfile.TemporaryDirectory() as folder:
        api.kubectl("apply", "--server-side", f"--filename={ROOT / 'crds'}")
        api.kubectl("create", "clusterrolebinding", "operator", "--clusterrole=cluster-admin", "--user=operator")
        api.cluster().await_definitions()
        api.kubectl("apply", "--filename=-", input=json.dumps(_cluster(broker.bootstrap)))
        with _running(name, api, broker, Path(folder)) as process:
            if name == "kwitness":
                _until(lambda: _ready(api, "kafkaclusters") == 1, process)
            started, cpu = time.monotonic(), cpu_seconds(process.pid)
            items = {"apiVersion": "v1", "kind": "List", "items": [_subscription(n) for n in range(RESOURCES)]}
            api.kubectl("create", "--filename=-", input=json.dumps(items))
            _until(lambda: _ready(api, "clientmetricssubscriptions") == RESOURCES, process)
            seconds, cpu = time.monotonic() - started, cpu_seconds(process.pid) - cpu
            time.sleep(10)  # what is still to be written is no part of the next measurement
            before = _writes(api)
            # Ours looks at everything again by itself; a plain operator does so when it starts.
            with contextlib.nullcontext() if name == "kwitness" else _running(name, api, broker, Path(folder)):
                time.sleep(RESYNC_SECONDS + 5)
            block = {
                "seconds": round(seconds, 2),
                "cpu_seconds": round(cpu, 2),
                "resident_mb": round(resident_mb(process.pid), 1),
                "resync_writes": _writes(api) - before,
            }
        print(name, block, flush=True)
        return block


def section(blocks: list[dict[str, Any]]) -> str:
    """The page's section."""
    rows = [
        ("seconds to Ready", "seconds", "plain", "≥ 3"),
        ("CPU-seconds to Ready", "cpu_seconds", "plain", ""),
        ("resident memory, MB", "resident_mb", "kwitness", "≤ 0.6"),
    ]
    lines = [
        f"## Operator: {RESOURCES} subscriptions beside a plain kopf operator",
        "",
        f"Both against a real API server and a real broker, {len(blocks)} blocks in random order.",
        "A resync is a second look at every resource when nothing changed.",
        "",
        "| | kwitness | plain kopf, official client | ratio (95 % interval) | bar |",
        "|---|---|---|---|---|",
    ]
    for what, key, above, bar in rows:
        below = "kwitness" if above == "plain" else "plain"
        middle, low, high = interval([one[above][key] / one[below][key] for one in blocks])
        ours, plain = (statistics.median(one[name][key] for one in blocks) for name in CANDIDATES)
        lines.append(f"| {what} | {ours:.1f} | {plain:.1f} | {middle:.2f} ({low:.2f} to {high:.2f}) | {bar} |")
    ours, plain = (max(one[name]["resync_writes"] for one in blocks) for name in CANDIDATES)
    lines.append(f"| API writes of a no-op resync, at most | {ours} | {plain} | | 0 |")
    return "\n".join(lines) + "\n"


def _cluster(bootstrap: str) -> dict[str, Any]:
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "KafkaCluster",
        "metadata": {"name": "bench", "namespace": "default"},
        "spec": {"bootstrapServers": [bootstrap], "riskPolicy": "Apply"},  # no collector says who is connected
    }


def _subscription(number: int) -> dict[str, Any]:
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "ClientMetricsSubscription",
        "metadata": {"name": f"bench-{number:04}", "namespace": "default"},
        "spec": {
            "clusterRef": {"name": "bench"},
            "metrics": [
                "org.apache.kafka.producer.connection.creation.",
                "org.apache.kafka.consumer.connection.creation.",
            ],
            "interval": "1m",
        },
    }


@contextlib.contextmanager
def _running(name: str, api: ApiServer, broker: LocalBroker, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    environment = {
        **os.environ,
        "KUBECONFIG": str(api.kubeconfig_of("operator")),
        "BOOTSTRAP_SERVERS": broker.bootstrap,
    }
    if name == "kwitness":
        settings = folder / "settings.json"
        settings.write_text(
            json.dumps(
                {
                    "namespace": "default",
                    "watchNamespaces": ["default"],
                    "installation": "bench",
                    "resyncSeconds": RESYNC_SECONDS,
                    "images": {"collector": "none"},
                    "probePort": 0,
                }
            )
        )
        environment["PYTHONPATH"] = os.pathsep.join(map(str, [_packages(), *OURS]))
        command = [sys.executable, "-S", "-m", "kwitness.operator", str(settings)]
    else:
        command = [sys.executable, "-m", "kopf", "run", "--namespace=default", str(PEER)]
    log = folder / f"{name}.log"
    with log.open("ab") as output, subprocess.Popen(command, env=environment, stdout=output, stderr=output) as process:
        pin(process.pid, COMPONENT_CORE)
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                wait_for_exit(process)
            finally:
                process.kill()


def _packages() -> Path:
    """The packages of the operator's lock for this Python, and no others."""
    lock = ROOT / "locks" / "operator.txt"

    def install(folder: Path) -> None:
        uv = [find_uv(), "pip", "install", "--quiet", "--no-deps", "--require-hashes", f"--python={sys.executable}"]
        subprocess.run([*uv, f"--target={folder}", f"--requirements={lock}"], check=True)

    return cached_folder("bench-packages", content_key(lock, platform.python_version()), install)


def _until(holds: Any, process: subprocess.Popen[bytes]) -> None:
    wait_until(holds, what="the operator", needs=[process], every=0.5)


def _ready(api: ApiServer, kind: str) -> int:
    path = 'jsonpath={range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}'
    return api.kubectl("get", kind, "--namespace=default", f"--output={path}").split().count("True")


def _writes(api: ApiServer) -> int:
    return sum(event["verb"] in WRITES and event["user"]["username"] == "operator" for event in api.audit())


if __name__ == "__main__":
    main()
