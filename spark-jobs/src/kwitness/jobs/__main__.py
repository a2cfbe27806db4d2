"""`python -m kwitness.jobs --config /etc/kwitness/job/job.json`: runs the driver of one job."""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from kwitness.contracts.audiences import driver_audience
from kwitness.contracts.job_config import JobConfig
from kwitness.jobs.driver.failures import Failure, explain
from kwitness.jobs.driver.lifecycle import Driver
from kwitness.jobs.driver.log_lines import log_as_json
from kwitness.jobs.driver.status_server import StatusServer
from kwitness.jobs.driver.token_review import SERVICE_ACCOUNT, TokenReviewer
from kwitness.jobs.frame.moments import now_ms
from kwitness.jobs.frame.status import DriverStatus, StatusBoard

_LOG = logging.getLogger(__name__)
DEFAULT_CONFIG = Path("/etc/kwitness/job/job.json")
#: Where Kubernetes looks for a container's last words.
_TERMINATION_LOG = Path("/dev/termination-log")
#: How long a driver that has ended still answers `/status`, so that the operator, which polls, hears how.
_LINGER_SECONDS = 45.0
EXIT_FAILED = 1
EXIT_BAD_CONFIGURATION = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one job; return the exit code: 0 ended or stopped, 1 failed, 2 the configuration cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.jobs", description="Runs the Spark driver of one job.")
    parser.add_argument("--config", type=Path, default=DEFAULT_CONFIG, help="the job's configuration (JSON)")
    parser.add_argument("--linger", type=float, default=_LINGER_SECONDS, help="seconds an ended driver still answers")
    options = parser.parse_args(arguments)
    log_as_json()
    try:
        config = JobConfig.model_validate_json(options.config.read_bytes())
    except (OSError, ValidationError) as error:
        _LOG.error("cannot read the job's configuration %s: %s", options.config, error)
        return EXIT_BAD_CONFIGURATION
    return _run(config, options.linger)


def _run(config: JobConfig, linger_seconds: float) -> int:
    pod = os.environ.get("POD_NAME")
    board = StatusBoard(DriverStatus(driver_pod=pod, table_path=config.table_path))
    driver = Driver(config, os.environ, board)
    signal.signal(signal.SIGTERM, lambda *_: driver.stop())
    server = StatusServer(board, config.status_port, _reviewer(config), driver.health.problem)
    server.start()
    try:
        driver.run()
    except Exception as error:  # noqa: BLE001 - the end of the driver: every failure is explained and reported
        failure = explain(error, config.table_path)
        _LOG.exception("the job failed: %s", failure.message)
        _fail(board, failure)
        driver.stopping.wait(linger_seconds)
        return EXIT_FAILED
    else:
        # Keep serving the status so that the operator can read the result.
        driver.stopping.wait(linger_seconds)
    finally:
        server.stop()
    return 0


def _fail(board: StatusBoard, failure: Failure) -> None:
    board.change(phase="Failed", reason=failure.reason, message=failure.message)
    board.change_run(end_ms=now_ms())
    if _TERMINATION_LOG.exists():
        _TERMINATION_LOG.write_text(json.dumps({"reason": failure.reason, "message": failure.message}))


def _reviewer(config: JobConfig) -> TokenReviewer | None:
    if not (SERVICE_ACCOUNT / "token").exists():
        return None
    host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ.get("KUBERNETES_SERVICE_PORT", "443")
    server = f"https://{f'[{host}]' if ':' in host else host}:{port}"
    return TokenReviewer(server, driver_audience(config.namespace, config.name))


if __name__ == "__main__":
    sys.exit(main())
