"""`python -m kwitness.jobs --config /etc/kwitness/job/job.json`: runs the driver of one job, or of several in turn."""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from kwitness.contracts.audiences import driver_audience, rows_audience
from kwitness.contracts.job_config import JobConfig
from kwitness.jobs.driver.access_review import AccessReviewer
from kwitness.jobs.driver.configurations import ConfigurationError, read_configurations
from kwitness.jobs.driver.failures import Failure, explain
from kwitness.jobs.driver.kubernetes_reviews import SERVICE_ACCOUNT, KubernetesReviews
from kwitness.jobs.driver.lifecycle import Driver, close_session
from kwitness.jobs.driver.log_lines import log_as_json
from kwitness.jobs.driver.rows_endpoint import RowsEndpoint
from kwitness.jobs.driver.status_server import StatusServer
from kwitness.jobs.driver.token_review import TokenReviewer
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
    """Run the jobs; return the exit code: 0 ended or stopped, 1 failed, 2 a configuration cannot be used.

    Of several jobs each that did not end well, or had no turn before the process was stopped, has failed.
    """
    parser = argparse.ArgumentParser(prog="python -m kwitness.jobs", description="Runs the Spark driver of one job.")
    parser.add_argument(
        "--config",
        type=Path,
        nargs="+",
        default=[DEFAULT_CONFIG],
        help="the job's configuration (JSON); several that run once are run one after the other, in one Spark session",
    )
    parser.add_argument("--linger", type=float, default=_LINGER_SECONDS, help="seconds an ended driver still answers")
    options = parser.parse_args(arguments)
    log_as_json()
    try:
        configs = read_configurations(options.config, os.environ)
    except ConfigurationError as error:
        _LOG.error("cannot use the job's configuration %s", error)
        return EXIT_BAD_CONFIGURATION
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    if len(configs) == 1:
        return EXIT_FAILED if _run(configs[0], stopping, options.linger).read().phase == "Failed" else 0
    return _run_in_turn(configs, stopping)


def _run_in_turn(configs: Sequence[JobConfig], stopping: threading.Event) -> int:
    """Run each job, whatever became of those before it; print the last status of each as a line of JSON."""
    ended_well = 0
    # Spark's JVM inherits the standard output, and Delta prints there what it removes: both go to standard error.
    statuses = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        for config in configs:
            if stopping.is_set():
                break
            _LOG.info("the job %s begins", config.name)
            status = _run(config, stopping, 0.0, is_alone=False).read()
            answer = status.answer().model_dump(exclude_none=True)
            statuses.write(json.dumps({"namespace": config.namespace, "name": config.name, **answer}) + "\n")
            statuses.flush()
            ended_well += status.phase == "Succeeded"
    finally:
        close_session()
        statuses.close()
    _LOG.info("%d of %d jobs ended well", ended_well, len(configs))
    return 0 if ended_well == len(configs) else EXIT_FAILED


def _run(config: JobConfig, stopping: threading.Event, linger_seconds: float, *, is_alone: bool = True) -> StatusBoard:
    pod = os.environ.get("POD_NAME")
    board = StatusBoard(DriverStatus(driver_pod=pod, table_path=config.table_path))
    driver = Driver(config, os.environ, board, stopping=stopping, is_alone=is_alone)
    server = _server(config, board, driver.health.problem)
    server.start()
    try:
        try:
            driver.run()
        except Exception as error:  # noqa: BLE001 - the end of the driver: every failure is explained and reported
            failure = explain(error, config.table_path)
            _LOG.exception("the job failed: %s", failure.message)
            _fail(board, failure)
        # Keep serving the status so that the operator can read the result.
        stopping.wait(linger_seconds)
    finally:
        server.stop()
    return board


def _fail(board: StatusBoard, failure: Failure) -> None:
    board.change(phase="Failed", reason=failure.reason, message=failure.message)
    board.change_run(end_ms=now_ms())
    if _TERMINATION_LOG.exists():
        _TERMINATION_LOG.write_text(json.dumps({"reason": failure.reason, "message": failure.message}))


def _server(config: JobConfig, board: StatusBoard, problem: Callable[[], str | None]) -> StatusServer:
    """Return the server for those that Kubernetes knows; outside it for this machine, without rows."""
    if not (SERVICE_ACCOUNT / "token").exists():
        return StatusServer(board, config.status_port, None, problem)
    host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ.get("KUBERNETES_SERVICE_PORT", "443")
    reviews = KubernetesReviews(f"https://{f'[{host}]' if ':' in host else host}:{port}")
    readers = TokenReviewer(reviews, rows_audience(config.namespace, config.name))
    rows = RowsEndpoint(config, readers, AccessReviewer(reviews, config.namespace, config.name))
    reviewer = TokenReviewer(reviews, driver_audience(config.namespace, config.name))
    return StatusServer(board, config.status_port, reviewer, problem, rows)


if __name__ == "__main__":
    sys.exit(main())
