"""Operator: a thousand subscriptions to Ready, writes of a resync, resident memory; beside a plain kopf operator.

Both run against the same kind of real API server and a real broker, one after the other, in alternating blocks.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.local_broker import LocalBroker

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = 2
RESOURCES = 1000
LIMIT_SECONDS = 600
WRITES = {"create", "update", "patch", "delete"}


def main() -> None:
    """Measure and write `operator_scale.json` and `.md`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    results: Path = parser.parse_args().results
    blocks: list[dict[str, Any]] = []
    for number in range(BLOCKS):
        order = ("kwitness", "plain") if number % 2 == 0 else ("plain", "kwitness")
        blocks.extend(measure(name) for name in order)
    (results / "operator_scale.json").write_text(json.dumps(blocks, indent=1))
    (results / "operator_scale.md").write_text(section(blocks))


def measure(name: str) -> dict[str, Any]:
    """One block: a fresh API server and broker, RESOURCES subscriptions, one operator."""
    with LocalBroker() as broker, ApiServer(users=["operator"]) as api, tempfile.TemporaryDirectory() as folder:
        api.kubectl("apply", "--server-side", f"--filename={ROOT / 'crds'}")
        api.kubectl("create", "clusterrolebinding", "operator", "--clusterrole=cluster-admin", "--user=operator")
        api.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
        api.kubectl("apply", "--filename=-", input=json.dumps(_cluster(broker.bootstrap)))
        with _running(name, api, broker, Path(folder)) as process:
            if name == "kwitness":
                _until(lambda: _ready(api, "kafkaclusters") == 1, process)
            started, cpu = time.monotonic(), _cpu_seconds(process)
            items = {"apiVersion": "v1", "kind": "List", "items": [_subscription(n) for n in range(RESOURCES)]}
            api.kubectl("create", "--filename=-", input=json.dumps(items))
            _until(lambda: _ready(api, "clientmetricssubscriptions") == RESOURCES, process)
            seconds, cpu = time.monotonic() - started, _cpu_seconds(process) - cpu
            time.sleep(10)  # what is still to be written is no part of the next measurement
            before = _writes(api)
            with _running(name, api, broker, Path(folder)) if name == "plain" else _restarted(process):
                time.sleep(25)
            block = {
                "operator": name,
                "seconds": round(seconds, 2),
                "cpu_seconds": round(cpu, 2),
                "resident_mb": round(_resident_mb(process), 1),
                "resync_writes": _writes(api) - before,
            }
        print(block, flush=True)
        return block


def section(blocks: list[dict[str, Any]]) -> str:
    """The page's section."""

    def median(operator: str, key: str) -> float:
        return statistics.median(block[key] for block in blocks if block["operator"] == operator)

    ours, plain = ({key: median(name, key) for key in blocks[0] if key != "operator"} for name in ("kwitness", "plain"))
    rows = [
        ("seconds to Ready", "seconds", plain["seconds"] / ours["seconds"], "≥ 3×"),
        ("CPU-seconds to Ready", "cpu_seconds", plain["cpu_seconds"] / ours["cpu_seconds"], ""),
        ("resident memory, MB", "resident_mb", ours["resident_mb"] / plain["resident_mb"], "≤ 0.6"),
        ("API writes of a no-op resync", "resync_writes", ours["resync_writes"], "0"),
    ]
    table = "\n".join(
        f"| {what} | {ours[key]:g} | {plain[key]:g} | {ratio:.2f} | {bar} |" for what, key, ratio, bar in rows
    )
    return (
        f"## Operator: {RESOURCES} subscriptions beside a plain kopf operator\n\n"
        f"Both against a real API server and a real broker; medians of {BLOCKS} alternating blocks. A resync is a second "
        "look at every resource when nothing changed.\n\n"
        f"| | kwitness | plain kopf, official client | ratio | bar |\n|---|---|---|---|---|\n{table}\n"
    )


def _cluster(bootstrap: str) -> dict[str, Any]:
    return {
        "apiVersion": "kwitness.dev/v1alpha1",
        "kind": "KafkaCluster",
        "metadata": {"name": "bench", "namespace": "default"},
        "spec": {"bootstrapServers": [bootstrap]},
    }


def _subscription(number: int) -> dict[str, Any]:
    return {
        "apiVersion": "kwitness.dev/v1alpha1",
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


@contextmanager
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
                    "resyncSeconds": 20,
                    "images": {"collector": "none"},
                    "probePort": 0,
                }
            )
        )
        command = [sys.executable, "-m", "kwitness.operator", str(settings)]
    else:
        command = [
            sys.executable,
            "-m",
            "kopf",
            "run",
            "--namespace=default",
            str(Path(__file__).with_name("plain_operator.py")),
        ]
    log = folder / f"{name}.log"
    with log.open("ab") as output, subprocess.Popen(command, env=environment, stdout=output, stderr=output) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


@contextmanager
def _restarted(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """Ours resyncs by itself every 20 s; nothing has to be restarted."""
    yield process


def _until(holds: Any, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + LIMIT_SECONDS
    while not holds():
        if process.poll() is not None:
            raise RuntimeError(f"the operator ended with {process.returncode}")
        if time.monotonic() > deadline:
            raise RuntimeError(f"not ready after {LIMIT_SECONDS} s")
        time.sleep(0.5)


def _ready(api: ApiServer, kind: str) -> int:
    path = 'jsonpath={range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}'
    return api.kubectl("get", kind, "--namespace=default", f"--output={path}").split().count("True")


def _writes(api: ApiServer) -> int:
    return sum(event["verb"] in WRITES and event["user"]["username"] == "operator" for event in api.audit())


def _cpu_seconds(process: subprocess.Popen[bytes]) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident_mb(process: subprocess.Popen[bytes]) -> float:
    status = Path(f"/proc/{process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")) / 1024


if __name__ == "__main__":
    main()
