"""The driver of a job as a process of this machine: what it needs, how far it is, and how it ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

from kwitness.answers.failure import CommandFailedError
from kwitness.cli.output import Output, warn
from kwitness.cli.table_rows import write_sorted_rows

JARS = "KWITNESS_SPARK_JARS"
"""A folder, or several as in PATH, with the jars that PySpark's wheel lacks."""
_LIBRARIES = ("pyspark", "delta", "deltalake", "pydantic", "opentelemetry.proto")
_WANTED = ("delta-spark_", "spark-sql-kafka-")
_LAST_LINES = 20
_SHOWN = 100
"""Rows of the table after a run."""
_SORTED_BY = 5


def require_spark(jars: str | None) -> dict[str, str]:
    """Return the variables of the driver's environment.

    Parameters
    ----------
    jars
        The folder, or several as in PATH, that the command line names, if it does.

    Raises
    ------
    CommandFailedError
        Spark, Java or the jars are not there.
    """
    if lacks := [name for name in _LIBRARIES if not _is_there(name)]:
        raise CommandFailedError(
            f"a job needs {', '.join(lacks)}, not installed beside this command: install kwitness with its extra "
            "`spark`, as in `pip install --find-links dist 'kwitness[spark]'`"
        )
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        raise CommandFailedError("a job needs Java, not on the PATH: install a JRE of 17 or later, or set JAVA_HOME")
    return _jars(jars)


def run_driver(config: str, folder: Path, variables: Mapping[str, str], *, verbose: bool) -> None:
    """Run the driver until it has ended or this process is interrupted; what it says goes to standard error.

    Parameters
    ----------
    config
        The driver's configuration as JSON.
    folder
        For the configuration and what Spark writes meanwhile; nobody else may read it.
    verbose
        Whether what Spark itself says is shown too.

    Raises
    ------
    CommandFailedError
        The job failed.
    """
    file = folder / "job.json"
    file.write_text(config, encoding="utf-8")
    (folder / "spark").mkdir()
    environment = {**os.environ, **variables, "KWITNESS_SPARK_LOCAL_DIR": str(folder / "spark")}
    command = [sys.executable, "-m", "kwitness.jobs", "--config", str(file), "--linger", "0"]
    # In a session of its own, so that an interrupt at the terminal reaches this process, which asks the driver to end.
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as driver:
        try:
            assert driver.stderr is not None  # noqa: S101 - it is a pipe
            failure = _tell(driver.stderr, verbose=verbose)
        except KeyboardInterrupt:
            print("kwitness jobs: ends after the step it is at", file=sys.stderr)
            driver.send_signal(signal.SIGTERM)
            assert driver.stderr is not None  # noqa: S101 - it is a pipe
            failure = _tell(driver.stderr, verbose=verbose)
    if driver.returncode != 0:
        raise CommandFailedError(failure or f"the job ended with status {driver.returncode}: try with --verbose")


def show_table(output: Output, job_type: str, path: str) -> None:
    """Show the first rows of the table of a job; a format for programs has all their columns."""
    from kwitness.jobs.analyses.registry import find_job  # noqa: PLC0415 - needs PySpark
    from kwitness.jobs.frame.first_rows import NoTableError, first_rows  # noqa: PLC0415

    if of_s3 := os.environ.get("AWS_ENDPOINT_URL_S3"):
        os.environ["AWS_ENDPOINT_URL"] = of_s3
    if os.environ.get("AWS_ENDPOINT_URL", "").startswith("http:"):
        # The reader asks for it; Spark's client takes what it is told.
        os.environ.setdefault("AWS_ALLOW_HTTP", "true")
    shown = find_job(job_type).display_columns
    columns = [column.column for column in shown]
    try:
        found = first_rows(path, columns[:_SORTED_BY], _SHOWN, columns if output.is_table else None)
    except NoTableError as error:
        raise CommandFailedError(str(error)) from error
    write_sorted_rows(output, shown, found.columns, found.rows)
    if found.total > len(found.rows):
        warn(f"{len(found.rows)} of {found.total} rows are shown: `kwitness tables show` has --limit")


def _is_there(library: str) -> bool:
    try:
        return find_spec(library) is not None
    except ModuleNotFoundError:
        return False


def _jars(named: str | None) -> dict[str, str]:
    folder = named or os.environ.get(JARS)
    if folder is None:
        spec = find_spec("pyspark")
        own = Path(spec.origin).parent / "jars" if spec and spec.origin else Path()
        if _has_jars(own):
            return {}
    elif any(_has_jars(Path(one)) for one in folder.split(os.pathsep)):
        return {JARS: os.pathsep.join(str(Path(one).resolve()) for one in folder.split(os.pathsep))}
    where = f"{folder} has not" if folder else f"neither --jars nor {JARS} names a folder with"
    raise CommandFailedError(
        f"{where} the jars of Kafka and Delta for Spark ({'*.jar, '.join(_WANTED)}*.jar): in a clone of kwitness "
        "`make spark-jars` collects them by Maven and prints their folder; give that as --jars FOLDER"
    )


def _has_jars(folder: Path) -> bool:
    return all(any(folder.glob(f"{name}*.jar")) for name in _WANTED)


def _tell(lines: Iterable[str], *, verbose: bool) -> str:
    """Show what the driver logs; the result is what it says last of a failure, or the last lines if it says nothing."""
    last: deque[str] = deque(maxlen=_LAST_LINES)
    failure = ""
    for line in lines:
        try:
            logged = json.loads(line)
            level, message = logged["level"], logged["message"]
        except (ValueError, TypeError, KeyError):
            last.append(line)
            if verbose:
                sys.stderr.write(line)
            continue
        if level == "error":
            failure = message
            if not verbose:
                continue
        print(f"kwitness jobs: {message}", file=sys.stderr)
    return failure or "".join(last).strip()
