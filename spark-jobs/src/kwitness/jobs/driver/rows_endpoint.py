"""Answers `GET /rows`: rows of the job's own table, for accounts that may get `analyticsjobs/rows` of this job."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http import HTTPStatus
from typing import IO, Final
from urllib.parse import parse_qs

from pydantic import ValidationError

from kwitness.contracts.job_config import JobConfig
from kwitness.jobs.driver.access_review import AccessReviewer
from kwitness.jobs.driver.row_reader import ReadHead, ReadRequest
from kwitness.jobs.driver.token_review import TokenReviewer
from kwitness.jobs.frame.object_store import is_object_store

__all__ = ["RefusedRowsError", "RowsEndpoint"]

MAX_AT_ONCE: Final = 1
"""Answers, each with a process of its own, in the memory that a driver has besides what it needs."""
ANSWER_SECONDS: Final = 60
"""For an answer as a whole: a caller that reads slowly does not keep others waiting for longer."""
MAX_PARAMETERS: Final = 16
"""Of a question; conditions on rows are those that may be several."""
_SHOWN: Final = 40
_MOST_HEAD: Final = 65_536
_PIECE: Final = 65_536
#: The libraries' own threads and pools take address space that nothing is stored in.
_SMALL: Final = {"ARROW_DEFAULT_MEMORY_POOL": "system", "TOKIO_WORKER_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class RefusedRowsError(Exception):
    """There are no rows, for a reason that the answer has.

    Attributes
    ----------
    status, reason, message
        Of the answer.
    """

    def __init__(self, status: HTTPStatus, reason: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.message = message


class RowsEndpoint:
    """Reads the table of one job, for one caller at a time.

    Parameters
    ----------
    bounds
        The request that each caller's own, with columns and limit, is made of.
    answer_seconds
        See `ANSWER_SECONDS`.
    """

    def __init__(
        self,
        config: JobConfig,
        tokens: TokenReviewer,
        access: AccessReviewer,
        bounds: ReadRequest | None = None,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        self._config = config
        self._bounds = bounds or ReadRequest(path=config.table_path)
        self._answer_seconds = answer_seconds
        self._tokens = tokens
        self._access = access
        self._turn = threading.BoundedSemaphore(MAX_AT_ONCE)

    def authorize(self, token: str | None) -> None:
        """Check that whose token it is may read rows.

        Raises
        ------
        RefusedRowsError
            It is no token for this, or its account may not.
        ReviewUnavailableError
            The API server could not be asked.
        """
        user = None if token is None else self._tokens.user(token)
        if user is None:
            text = f"send a bearer token with the audience {self._tokens.audience}"
            raise RefusedRowsError(HTTPStatus.UNAUTHORIZED, "Unauthenticated", text)
        if not self._access.may_read_rows(user):
            raise RefusedRowsError(HTTPStatus.FORBIDDEN, "Forbidden", self._access.refusal(user))

    @contextlib.contextmanager
    def read(self, query: str) -> Iterator[Iterator[bytes]]:
        """Return the pieces of an answer; the reader has ended when the context ends.

        Parameters
        ----------
        query
            Of the URL: `limit`, `columns` with commas between them, and conditions on rows, each as `where`.

        Raises
        ------
        RefusedRowsError
            The question is not understood, there is no table here, or it is being read.
        """
        if is_object_store(self._config):
            text = f"the table is {self._config.table_path}: read it there, with keys of your own"
            raise RefusedRowsError(HTTPStatus.CONFLICT, "InObjectStore", text)
        request = self._request(query)
        if not self._turn.acquire(blocking=False):
            text = "another answer is being read from this table: try again in some seconds"
            raise RefusedRowsError(HTTPStatus.SERVICE_UNAVAILABLE, "Busy", text)
        try:
            with _reader(request, self._answer_seconds) as output:
                yield self._after_head(output)
        finally:
            self._turn.release()

    def _request(self, query: str) -> ReadRequest:
        try:
            found = parse_qs(query, keep_blank_values=True, max_num_fields=MAX_PARAMETERS)
        except ValueError:
            text = f"there are more than {MAX_PARAMETERS} parameters: give fewer conditions"
            raise RefusedRowsError(HTTPStatus.BAD_REQUEST, "BadParameter", text) from None
        fields = {name: values[-1] for name, values in found.items()}
        if unknown := fields.keys() - {"limit", "columns", "where"}:
            text = f"there is no parameter {min(unknown)[:_SHOWN]!r}: limit, columns and where are known"
            raise RefusedRowsError(HTTPStatus.BAD_REQUEST, "BadParameter", text)
        changes: dict[str, object] = {}
        if (limit := fields.get("limit")) is not None:
            if re.fullmatch("[1-9][0-9]{0,8}", limit, re.ASCII) is None:
                text = f"limit must be a number from 1 to 999999999, not {limit[:_SHOWN]!r}"
                raise RefusedRowsError(HTTPStatus.BAD_REQUEST, "BadLimit", text)
            changes["limit"] = int(limit)
        if (columns := fields.get("columns")) is not None:
            changes["columns"] = tuple(dict.fromkeys(columns.split(",")))
        changes["where"] = tuple(found.get("where", ()))
        return self._bounds.model_copy(update=changes)

    def _after_head(self, output: IO[bytes]) -> Iterator[bytes]:
        """Return the stream behind the line that says whether there is one."""
        line = output.readline(_MOST_HEAD)
        try:
            head = ReadHead.model_validate_json(line)
        except ValidationError:
            memory, seconds = self._bounds.memory >> 20, self._answer_seconds
            text = (
                f"the table could not be read in {memory} MiB of memory and {seconds:g} s: ask for fewer columns, or "
                "read the files where the claim is mounted; the driver's log has more"
            )
            raise RefusedRowsError(HTTPStatus.UNPROCESSABLE_ENTITY, "TooLarge", text) from None
        if head.error is not None:
            raise RefusedRowsError(HTTPStatus(head.status), head.error.error.reason, head.error.error.message)
        return iter(lambda: output.read(_PIECE), b"")


@contextlib.contextmanager
def _reader(request: ReadRequest, seconds: float) -> Iterator[IO[bytes]]:
    """Start the program that reads, and end it in any case."""
    command = [sys.executable, "-m", "kwitness.jobs.driver.row_reader", request.model_dump_json()]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=os.environ | _SMALL
    ) as process:
        ending = threading.Timer(seconds, process.kill)
        ending.start()
        try:
            if process.stdout is None:
                raise RuntimeError("a reader without output")
            yield process.stdout
        finally:
            ending.cancel()
            process.kill()
