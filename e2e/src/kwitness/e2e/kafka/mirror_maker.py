"""MirrorMaker 2 as a process, from one cluster to another: for tests, without Kubernetes or containers."""

from __future__ import annotations

import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from kwitness.e2e.kafka.jars import mirror_jars
from kwitness.sandbox.java_logging import log4j2
from kwitness.sandbox.waiting import wait_for_exit

_MAIN = "org.apache.kafka.connect.mirror.MirrorMaker"
_STORES = ("offset.storage", "config.storage", "status.storage", "offset-syncs.topic", "checkpoints.topic")


class MirrorMaker:
    """Mirrors topics of `source` into `target`, where they have the source's alias before their names.

    Use as a context manager, or call `start`, `stop` and `kill`; one that is started again goes on where it was, by
    what it has told the target's cluster.

    Parameters
    ----------
    source, target
        Alias and `host:port` of each cluster.
    topics
        Names of the topics.
    settings
        Further properties, by MirrorMaker's names.
    """

    def __init__(
        self,
        source: tuple[str, str],
        target: tuple[str, str],
        topics: Sequence[str],
        settings: Mapping[str, str] | None = None,
    ) -> None:
        (here, here_at), (there, there_at) = source, target
        properties = {
            "clusters": f"{here},{there}",
            f"{here}.bootstrap.servers": here_at,
            f"{there}.bootstrap.servers": there_at,
            f"{here}->{there}.enabled": "true",
            f"{here}->{there}.topics": ",".join(topics),
            f"{there}->{here}.enabled": "false",
            "emit.heartbeats.enabled": "false",
            "sync.topic.acls.enabled": "false",
            "replication.factor": "1",
            **{f"{store}.replication.factor": "1" for store in _STORES},
            **(settings or {}),
        }
        self._folder = tempfile.TemporaryDirectory(prefix="kwitness-mirror-")
        at = Path(self._folder.name)
        (at / "log4j2.properties").write_text(log4j2("WARN"))
        (at / "mirror.properties").write_text("".join(f"{key} = {value}\n" for key, value in properties.items()))
        self._log = at / "mirror.log"
        options = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        logging = f"-Dlog4j2.configurationFile={at / 'log4j2.properties'}"
        self._command = ["java", *options, logging, "-cp", f"{mirror_jars()}/*", _MAIN, str(at / "mirror.properties")]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        """Start it; it mirrors once it has made its own topics, some seconds later."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log, start_new_session=True)
        return self

    def stop(self) -> None:
        """Have it end in good order, and tell the target's cluster how far it is."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def logs(self) -> str:
        """All that it warned of, over its starts."""
        return self._log.read_text(errors="replace")

    def _end(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(number)
        try:
            wait_for_exit(self._process, what="the end of MirrorMaker")
        finally:
            self._process.kill()
            self._process.wait()
            self._process = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._folder.cleanup()
