"""Real Kafka brokers as processes on loopback, from Maven's jars: for tests, without Kubernetes or containers."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from kwitness.e2e.kafka.certificates import KafkaCertificates, make_certificates
from kwitness.e2e.kafka.jars import KAFKA_VERSIONS
from kwitness.e2e.kafka.listeners import Listener, listener_properties
from kwitness.e2e.kafka.prepared import archive_options, classpath, format_storage
from kwitness.sandbox.java import SMALL_JVM, java_program
from kwitness.sandbox.kafka_process import KafkaProcess
from kwitness.sandbox.node_properties import JMX_REPORTER, SMALL_NODE, random_id, reporter_class
from kwitness.sandbox.ports import free_port

__all__ = ["KAFKA_VERSIONS", "Listener", "LocalBroker", "LocalCluster"]

#: Users of the SASL listeners, unless others are given; `admin` is a super user.
USERS = {"admin": "admin-secret", "alice": "alice-secret"}


class LocalBroker:
    """A Kafka server in KRaft mode, by default broker and controller in one, listening on free ports of 127.0.0.1.

    Use as a context manager, or call `start` and `stop`. `kill` and `restart` keep data and ports.

    Parameters
    ----------
    version
        One of `KAFKA_VERSIONS`.
    plugin
        Path of the kwitness plugin's jar; the entry class for the version is added to `metric.reporters`.
    overrides
        Broker properties that win over everything decided here; None leaves a property out.
    listeners
        Listeners beside `PLAINTEXT`, which is always there and is used between brokers.
    authorizer
        Check ACLs with `StandardAuthorizer`. Clients of `PLAINTEXT` and the user `admin` may do everything.
    users
        Passwords by user, for the SASL listeners.
    super_users
        Further principals that may do everything, such as `User:CN=kafka-client`.
    directory
        Where data, logs and certificates go; a temporary folder, removed by `stop`, when absent.
    jvm_options
        Options of the virtual machine in place of the small, quickly starting ones.
    clients_host
        A host of loopback, such as 127.0.3.1. There is a further plaintext listener then, `CLIENTS`, on a port of
        127.0.0.1 that clients are told is on this host: what is tested between clients and brokers listens there. So it
        is with every listener but `PLAINTEXT`.
    port
        Of `PLAINTEXT`; a free one when absent.
    """

    def __init__(
        self,
        version: str = "4.3.1",
        *,
        plugin: Path | None = None,
        overrides: Mapping[str, str | None] | None = None,
        listeners: Iterable[Listener] = (),
        authorizer: bool = False,
        users: Mapping[str, str] = USERS,
        super_users: Sequence[str] = (),
        directory: Path | None = None,
        jvm_options: Sequence[str] | None = None,
        node_id: int = 1,
        cluster: LocalCluster | None = None,
        clients_host: str | None = None,
        port: int | None = None,
    ) -> None:
        self.version = version
        self.clients_host = clients_host
        self.clients_port = free_port() if clients_host else None
        self.node_id = node_id
        self.users = dict(users)
        self._owns_directory = directory is None
        self.directory = directory or Path(tempfile.mkdtemp(prefix="kwitness-kafka-"))
        self.directory.mkdir(parents=True, exist_ok=True)
        wanted = [Listener.PLAINTEXT, *(listener for listener in listeners if listener is not Listener.PLAINTEXT)]
        self._ports = {listener: free_port() for listener in wanted}
        if port is not None:
            self._ports[Listener.PLAINTEXT] = port
        self.certificates: KafkaCertificates | None = None
        if any(listener.uses_tls for listener in wanted):
            self.certificates = make_certificates(self.directory / "certificates")
        self.cluster_id = cluster.cluster_id if cluster else random_id()
        self.controller_port = cluster.controller_port if cluster and cluster.brokers else free_port()
        self._is_controller = not (cluster and cluster.brokers)
        self.properties: dict[str, str | None] = {}
        self.properties |= self._decide_properties(
            plugin=plugin, authorizer=authorizer, super_users=super_users, size=cluster.size if cluster else 1
        )
        self.properties.update(overrides or {})
        properties_file = self.directory / "server.properties"
        properties_file.write_text(
            "".join(f"{key}={value}\n" for key, value in self.properties.items() if value is not None)
        )
        self.process = KafkaProcess(
            name=f"Kafka {version} (node {node_id})",
            folder=self.directory,
            classpath=classpath(version, *([plugin] if plugin else [])),
            properties=properties_file,
            java=java_program(),
            options=jvm_options or (*SMALL_JVM, *archive_options(version)),
        )
        self._formatted = False

    @property
    def bootstrap(self) -> str:
        """`host:port` of the plaintext listener."""
        return self.bootstrap_of(Listener.PLAINTEXT)

    def bootstrap_of(self, listener: Listener) -> str:
        """`host:port` of a listener this broker was made with."""
        return f"127.0.0.1:{self._ports[listener]}"

    @property
    def log_file(self) -> Path:
        """The file with everything the server wrote."""
        return self.process.log_file

    def start(self) -> Self:
        """Format the storage the first time, start the server and wait until it serves.

        Raises
        ------
        RuntimeError
            It did not start; the message holds the end of its log.
        """
        if not self._formatted:
            format_storage(
                self.directory / "data",
                self.version,
                node_id=self.node_id,
                cluster_id=self.cluster_id,
                users=self.users if Listener.SASL_SSL_SCRAM in self._ports else {},
            )
            self._formatted = True
        atexit.register(self.process.kill)
        self.process.start()
        return self

    def stop(self) -> None:
        """End the server; where its folder is a temporary one, at once, and remove that."""
        if self._owns_directory:
            self.process.kill()
        else:
            self.process.stop()
        atexit.unregister(self.process.kill)
        if self._owns_directory:
            shutil.rmtree(self.directory, ignore_errors=True)

    def shutdown(self) -> None:
        """End the server in good order, however long that takes up to a minute, and keep its data."""
        self.process.stop(timeout=60)

    def kill(self) -> None:
        """End the server as a power cut would, and keep its data."""
        self.process.kill()

    def restart(self) -> None:
        """End the server in good order, if it runs, and start it again with the same data and ports."""
        self.shutdown()
        self.start()

    def make_anew(self) -> None:
        """End the server, forget its data, and start it at the same ports as a cluster with another id."""
        self.shutdown()
        shutil.rmtree(self.directory / "data")
        self.cluster_id, self._formatted = random_id(), False
        self.start()

    def logs(self) -> str:
        """Everything the server has logged so far, over restarts."""
        return self.process.logs()

    def tool(self, main_class: str, *arguments: str) -> str:
        """Run a command line tool of this Kafka version, such as `kafka.admin.ConfigCommand`."""
        return self.process.tool(main_class, *arguments)

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _decide_properties(
        self, *, plugin: Path | None, authorizer: bool, super_users: Sequence[str], size: int
    ) -> dict[str, str]:
        addresses = [f"{listener.value}://127.0.0.1:{port}" for listener, port in self._ports.items()]
        # Brokers reach each other by the first.
        to_clients = dict.fromkeys(self._ports, self.clients_host or "127.0.0.1")
        to_clients[Listener.PLAINTEXT] = "127.0.0.1"
        between = [f"{listener.value}://{to_clients[listener]}:{port}" for listener, port in self._ports.items()]
        clients, advertised = (
            [f"CLIENTS://{host}:{self.clients_port}"] if self.clients_host else []
            for host in ("127.0.0.1", self.clients_host)
        )
        controller = [f"CONTROLLER://127.0.0.1:{self.controller_port}"] if self._is_controller else []
        protocols = [f"{listener.value}:{listener.protocol}" for listener in self._ports]
        replication = str(min(size, 2))
        properties = {
            **SMALL_NODE,
            # Otherwise the controller writes a record twice a second, half of what an idle node costs.
            "metadata.max.idle.interval.ms": "0",
            "process.roles": "broker,controller" if self._is_controller else "broker",
            "node.id": str(self.node_id),
            "controller.quorum.voters": f"1@127.0.0.1:{self.controller_port}",
            "controller.listener.names": "CONTROLLER",
            "listeners": ",".join([*addresses, *clients, *controller]),
            "advertised.listeners": ",".join([*between, *advertised]),
            "listener.security.protocol.map": ",".join(
                ["CONTROLLER:PLAINTEXT", *(["CLIENTS:PLAINTEXT"] if clients else []), *protocols]
            ),
            "inter.broker.listener.name": Listener.PLAINTEXT.value,
            "log.dirs": str(self.directory / "data"),
            "default.replication.factor": replication,
            "offsets.topic.replication.factor": replication,
            "transaction.state.log.replication.factor": replication,
            "share.coordinator.state.topic.replication.factor": replication,
        }
        properties |= listener_properties(self._ports, certificates=self.certificates, users=self.users)
        if authorizer:
            properties["authorizer.class.name"] = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
            # Brokers and the controller speak over plaintext here, so their principal is the anonymous one.
            properties["super.users"] = ";".join(["User:ANONYMOUS", "User:admin", *super_users])
        if plugin is not None:
            properties["metric.reporters"] = f"{JMX_REPORTER},{reporter_class(self.version)}"
        return properties


class LocalCluster:
    """Several brokers that form one cluster; the first is the controller too, so stop any but the first.

    Parameters
    ----------
    size
        Number of brokers.
    version
        One of `KAFKA_VERSIONS`.
    options
        What `LocalBroker` takes, the same for each broker; `directory` and `node_id` are decided here.
    clients_hosts
        The `clients_host` of each broker, or none.
    """

    def __init__(
        self,
        size: int,
        version: str = "4.3.1",
        *,
        plugin: Path | None = None,
        overrides: Mapping[str, str | None] | None = None,
        listeners: Iterable[Listener] = (),
        clients_hosts: Sequence[str] = (),
    ) -> None:
        self.size = size
        self.cluster_id = random_id()
        self.controller_port = 0
        self.brokers: list[LocalBroker] = []
        wanted = tuple(listeners)
        for node_id in range(1, size + 1):
            broker = LocalBroker(
                version,
                plugin=plugin,
                overrides=overrides,
                listeners=wanted,
                node_id=node_id,
                cluster=self,
                clients_host=clients_hosts[node_id - 1] if clients_hosts else None,
            )
            self.controller_port = broker.controller_port if node_id == 1 else self.controller_port
            self.brokers.append(broker)

    @property
    def bootstrap(self) -> str:
        """Plaintext addresses of all brokers."""
        return ",".join(broker.bootstrap for broker in self.brokers)

    def start(self) -> Self:
        """Start all brokers, the controller first."""
        for broker in self.brokers:
            broker.start()
        return self

    def stop(self) -> None:
        """End all brokers, the controller last, and remove their data."""
        for broker in reversed(self.brokers):
            broker.stop()

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
