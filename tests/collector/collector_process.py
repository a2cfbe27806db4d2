"""A collector as a process of its own, as it runs in a pod, with ports on loopback."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import requests
from prometheus_client.parser import text_string_to_metric_families

from kwitness.contracts.envelopes import EVENTS_CONTENT_TYPE
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.waiting import WaitFailedError, wait_for_exit

from tests.collector.collector_samples import CLUSTER
from tests.eventually import eventually
from tests.forked import ForkedProgram, import_once

PLUGIN, OTLP, READER, REPLICA = "plugin-token", "otlp-token", "reader-token", "replica-token"
OPERATOR = "operator-token"
OTHER_PLUGIN = "other-plugin-token"
GATEWAY, SIDECAR, INTERCEPTOR = "gateway-token", "sidecar-token", "interceptor-token"
GATEWAY_SOURCE, SIDECAR_SOURCE = "shop/kwitness-gateway-front-0", "stranger/app-1"
INTERCEPTED_POD = "shop/orders-7c9d5b6f4-x2x7k"
_LATER = 503
PROGRAM = "kwitness.collector"
import_once(f"{PROGRAM}.__main__")


class Answer(NamedTuple):
    """Status, parsed body and headers."""

    status: int
    body: Any
    headers: Mapping[str, str]


TOPICS = {
    name: f"collector-tests.{name}"
    for name in ("telemetry", "connections", "traffic", "requests", "interceptions", "headers", "seals")
}
"""Of these tests alone, since others use the broker too."""


class CollectorProcess:
    """One replica. ``config`` and ``ingest`` are merged into the configuration the operator would write."""

    def __init__(
        self,
        folder: Path,
        *,
        bootstrap: str | None = None,
        ordinal: int = 0,
        peers: str | None = None,
        port: int | None = None,
        config: Mapping[str, Any] | None = None,
        ingest: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
        arguments: Iterable[str] = (),
    ) -> None:
        self.folder = folder
        self.ordinal = ordinal
        self.port = port or free_port()
        self.otlp_http_port, self.otlp_grpc_port, self.metrics_port = free_port(), free_port(), free_port()
        self.peers = peers
        self.arguments = tuple(arguments)
        self.environment = {**os.environ, **(environment or {})}
        self.process: ForkedProgram | None = None
        self.log = folder / f"collector-{ordinal}.log"
        folder.mkdir(parents=True, exist_ok=True)
        self.tokens = folder / "tokens"
        self.tokens.write_text(
            f"{PLUGIN} plugin {CLUSTER}\n{OTHER_PLUGIN} plugin elsewhere\n{OTLP} otlp {CLUSTER}\n"
            f"{READER} reader {CLUSTER}\n{REPLICA} collector {CLUSTER}\n{OPERATOR} operator {CLUSTER}\n"
            f"{GATEWAY} observer {CLUSTER} gateway {GATEWAY_SOURCE}\n"
            f"{SIDECAR} observer {CLUSTER} pod {SIDECAR_SOURCE}\n"
            f"{INTERCEPTOR} interceptor {CLUSTER} {INTERCEPTED_POD}\n"
        )
        (folder / "own-token").write_text(REPLICA)
        self.config: dict[str, Any] = {
            "cluster_id": CLUSTER,
            "namespace": "kwitness",
            "name": "main",
            "replicas": 1,
            "kafka": {"bootstrap_servers": [bootstrap or "127.0.0.1:1"]},
            "topics": TOPICS if bootstrap else None,
            "ingest": {"tokens_file": str(self.tokens), **(ingest or {})},
            "state_dir": str(folder / f"state-{ordinal}"),
            **(config or {}),
        }
        self.write_config()
        self.subscribe([])

    def write_config(self, **changes: Any) -> None:
        """Write the configuration, as the operator does; new counters have their value at once unless it says more."""
        self.config |= changes
        self.config["prometheus"] = {"scrape_interval_ms": 0, **self.config.get("prometheus", {})}
        (self.folder / "config.json").write_text(json.dumps(self.config))

    def subscribe(self, subscriptions: Iterable[Mapping[str, Any]]) -> None:
        """Write the broker's subscriptions, as the operator does."""
        (self.folder / "subscriptions.json").write_text(json.dumps({"subscriptions": list(subscriptions)}))

    def own(self, owners: Iterable[Mapping[str, Any]]) -> None:
        """Write whose clients are, as the operator does."""
        (self.folder / "owners.json").write_text(json.dumps({"owners": list(owners)}))

    def start(self) -> CollectorProcess:
        """Start and wait until it takes requests."""
        command = ["--config", str(self.folder / "config.json")]
        command += ["--host", "127.0.0.1", "--port", str(self.port), "--metrics-port", str(self.metrics_port)]
        command += ["--otlp-http-port", str(self.otlp_http_port), "--otlp-grpc-port", str(self.otlp_grpc_port)]
        command += ["--pod-name", f"kwitness-collector-main-{self.ordinal}", "--api-server", ""]
        command += ["--token-file", str(self.folder / "own-token"), *self.arguments]
        if self.peers:
            command += ["--peer-url", self.peers]
        self.process = ForkedProgram(PROGRAM, command, log=self.log, environment=self.environment)
        ready = f"http://127.0.0.1:{self.metrics_port}/readyz"
        try:
            eventually(lambda: requests.get(ready, timeout=10).ok, passing=(OSError,), needs=[self.process], every=0.05)
        except WaitFailedError as error:
            raise RuntimeError(f"the collector did not start: {error}\n{self.log.read_text()[-3000:]}") from error
        return self

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End it and return the exit status."""
        if self.process is None:
            return 0
        self.process.send_signal(number)
        status = wait_for_exit(self.process)
        self.process = None
        return status

    def kill(self) -> None:
        """End it as a power cut would."""
        self.stop(signal.SIGKILL)

    def post(
        self,
        path: str,
        body: Any,
        *,
        token: str | None = PLUGIN,
        headers: Mapping[str, str] | None = None,
        port: int | None = None,
        compress: bool = False,
    ) -> Answer:
        """Post JSON, or bytes as they are."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = {"Content-Type": "application/json"}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        if compress:
            data, sent["Content-Encoding"] = gzip.compress(data), "gzip"
        answer = requests.post(
            f"http://127.0.0.1:{port or self.port}{path}", data=data, headers={**sent, **(headers or {})}, timeout=30
        )
        return Answer(answer.status_code, _body(answer), answer.headers)

    def push(self, body: Any, **more: Any) -> Answer:
        """Post a batch of pushes."""
        return self.post("/v1/pushes", body, **more)

    def deliver(self, body: Any, **more: Any) -> Answer:
        """Post a batch as a sender does: again for as long as it is asked for later."""
        return eventually(lambda: self.push(body, **more), lambda answer: answer.status != _LATER)

    def observe(self, body: bytes, *, token: str | None = GATEWAY, **more: Any) -> Answer:
        """Post an observer's request."""
        headers = {"Content-Type": EVENTS_CONTENT_TYPE, **more.pop("headers", {})}
        return self.post("/v1/events", body, token=token, headers=headers, **more)

    def direct(self, path: str, body: Any, *, token: str | None = OPERATOR) -> Answer:
        """Tell observers what to do, as the operator does."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = requests.put(f"http://127.0.0.1:{self.port}{path}", json=body, headers=headers, timeout=30)
        return Answer(answer.status_code, _body(answer), answer.headers)

    def get(
        self,
        path: str,
        *,
        token: str | None = READER,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Ask the inventory."""
        sent = {**({"Authorization": f"Bearer {token}"} if token else {}), **(headers or {})}
        answer = requests.get(f"http://127.0.0.1:{self.port}{path}", headers=sent, params=params, timeout=30)
        return Answer(answer.status_code, _body(answer), answer.headers)

    def scrape_text(self, accept: str = "") -> str:
        """Return the exposition."""
        answer = requests.get(f"http://127.0.0.1:{self.metrics_port}/metrics", headers={"Accept": accept}, timeout=30)
        answer.raise_for_status()
        return answer.content.decode()

    def scrape(self) -> dict[str, dict[frozenset[tuple[str, str]], float]]:
        """Return samples by name and labels."""
        return parse(self.scrape_text())

    def value(self, name: str, /, **labels: str) -> float | None:
        """Sum the samples of a name that carry the labels; None when there are none."""
        return value(self.scrape(), name, **labels)

    def worked_s(self) -> float:
        """Return the seconds of processor time that it has had."""
        assert self.process is not None
        user, system = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self) -> int:
        """Return the resident memory."""
        return self._memory("VmRSS")

    def peak_bytes(self) -> int:
        """Return the most memory that was resident since this was asked last."""
        peak = self._memory("VmHWM")
        assert self.process is not None
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")
        return peak

    def _memory(self, name: str) -> int:
        assert self.process is not None
        found = re.search(rf"{name}:\s+(\d+) kB", Path(f"/proc/{self.process.pid}/status").read_text())
        assert found is not None
        return int(found[1]) * 1024


def parse(text: str) -> dict[str, dict[frozenset[tuple[str, str]], float]]:
    """Parse an exposition, strictly: a family twice or a sample twice is an error."""
    samples: dict[str, dict[frozenset[tuple[str, str]], float]] = {}
    families: set[str] = set()
    for family in text_string_to_metric_families(text):
        assert family.name not in families, f"{family.name} twice"
        assert family.documentation, f"{family.name} without HELP"
        assert family.type != "unknown", f"{family.name} without TYPE"
        families.add(family.name)
        for sample in family.samples:
            labels = frozenset(sample.labels.items())
            assert labels not in samples.setdefault(sample.name, {}), f"{sample.name}{dict(labels)} twice"
            samples[sample.name][labels] = sample.value
    return samples


def value(
    samples: Mapping[str, Mapping[frozenset[tuple[str, str]], float]], name: str, /, **labels: str
) -> float | None:
    """Sum the samples of a name that carry the labels; None when there are none."""
    found = [one for key, one in samples.get(name, {}).items() if set(labels.items()) <= key]
    return sum(found) if found else None


def _body(answer: requests.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return answer.content
