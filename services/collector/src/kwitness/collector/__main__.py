"""``python -m kwitness.collector --config /etc/kwitness/collector/config.json``."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import os
import socket
import sys
from pathlib import Path
from typing import Final

from kwitness.collector.configuration import ConfigurationError, Settings
from kwitness.collector.ingest.token_review import IN_CLUSTER
from kwitness.collector.malloc import limit_arenas
from kwitness.collector.process import run
from kwitness.collector.time_limits import TimeLimits
from kwitness.contracts.endpoints import COLLECTOR_PORT, OTLP_GRPC_PORT, OTLP_HTTP_PORT, PROBE_PORT
from kwitness.runtime.connections import allow_descriptors
from kwitness.runtime.json_logging import configure_logging
from kwitness.runtime.service import stop_at_signals

_TOKEN: Final = "/var/run/secrets/kwitness/collector/token"  # noqa: S105 - a path


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="kwitness.collector", description="Receives Kafka client telemetry.")
    parser.add_argument("--config", type=Path, default=Path("/etc/kwitness/collector/config.json"))
    parser.add_argument("--host", default="0.0.0.0", help="address to listen on")  # noqa: S104 - a pod's own address
    parser.add_argument("--port", type=int, default=COLLECTOR_PORT, help="pushes, gauges and the inventory")
    parser.add_argument("--otlp-http-port", type=int, default=OTLP_HTTP_PORT)
    parser.add_argument("--otlp-grpc-port", type=int, default=OTLP_GRPC_PORT)
    parser.add_argument("--metrics-port", type=int, default=PROBE_PORT)
    parser.add_argument("--pod-name", default=os.environ.get("POD_NAME") or socket.gethostname())
    parser.add_argument("--peer-url", help="address of a replica, with {ordinal}; default: the StatefulSet's Service")
    parser.add_argument("--token-file", type=Path, default=Path(_TOKEN), help="own token towards other replicas")
    parser.add_argument(
        "--api-server", default=IN_CLUSTER, help="where tokens are reviewed; empty: tokens from the file only"
    )
    limits = TimeLimits()
    parser.add_argument(
        "--silent-seconds", type=float, default=limits.silent_s, help="for a handshake, and for a request's headers"
    )
    parser.add_argument("--body-seconds", type=float, default=limits.body_s, help="for a request's body")
    parser.add_argument("--log-level", default=os.environ.get("LOG_LEVEL", "INFO"))
    return parser.parse_args(argv)


async def _main(settings: Settings) -> None:
    stopping = asyncio.Event()
    stop_at_signals(stopping)
    await run(settings, stopping)


def main(argv: list[str] | None = None) -> int:
    """Run until SIGTERM; returns the exit status."""
    arguments = _arguments(sys.argv[1:] if argv is None else argv)
    configure_logging(arguments.log_level)
    limit_arenas()
    allow_descriptors()
    gc.collect()
    gc.freeze()  # what the imports made stays for good
    settings = Settings(
        config=arguments.config,
        pod_name=arguments.pod_name,
        host=arguments.host,
        port=arguments.port,
        otlp_http_port=arguments.otlp_http_port,
        otlp_grpc_port=arguments.otlp_grpc_port,
        metrics_port=arguments.metrics_port,
        peer_url=arguments.peer_url,
        token_file=arguments.token_file,
        api_server=arguments.api_server or None,
        time_limits=TimeLimits(arguments.silent_seconds, arguments.body_seconds),
    )
    try:
        asyncio.run(_main(settings))
    except (ConfigurationError, OSError) as error:
        logging.getLogger("kwitness.collector").critical("cannot start", extra={"detail": str(error)})
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
