"""Java programs of the newest version that list the metrics their clients keep, and run on until they are let go."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kwitness.e2e.kafka.jars import KAFKA_VERSIONS, kafka_jars, streams_jars
from kwitness.sandbox.waiting import communicate

from tests.java_programs import program

_PROGRAMS = Path(__file__).parent / "contracts"
_LISTED = "listed\n"


@contextlib.contextmanager
def clients(bootstrap: str) -> Iterator[dict[str, str]]:
    """A client of each kind; in the block a share consumer, an admin client and a producer run on."""
    with _listed("ListClientMetrics.java", kafka_jars(KAFKA_VERSIONS[-1]), bootstrap) as names:
        yield names


@contextlib.contextmanager
def streams(bootstrap: str, folder: Path) -> Iterator[dict[str, str]]:
    """Two instances of an application of each group protocol, which run on in the block; the state is in a folder."""
    with _listed("ListStreamsMetrics.java", streams_jars(), bootstrap, str(folder)) as names:
        yield names


@contextlib.contextmanager
def _listed(source: str, jars: Path, *arguments: str) -> Iterator[dict[str, str]]:
    """Name and kind of what a program lists; it ends with its input."""
    command = ["java", "-XX:TieredStopAtLevel=1", *program(_PROGRAMS / source, f"{jars}/*"), *arguments]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        assert process.stdout is not None
        try:
            lines: list[str] = []
            for line in process.stdout:
                if line == _LISTED:
                    break
                lines.append(line)
            else:
                errors.seek(0)
                raise AssertionError(f"{source} ended before it had listed all: {errors.read()[-2000:]}")
            yield dict(line.rstrip("\n").split("\t") for line in lines if line.startswith("org.apache.kafka."))
            communicate(process)
        finally:
            process.kill()
    assert process.returncode == 0, source
