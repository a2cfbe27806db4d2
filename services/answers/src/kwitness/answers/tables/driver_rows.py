"""Rows of a table that only the driver of its AnalyticsJob reaches (docs/decisions/0183)."""

from __future__ import annotations

import http.client
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

from pydantic import ValidationError

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.answers.access.forwarded_port import dial, forward
from kwitness.answers.failure import CommandFailedError, NotPermittedError
from kwitness.answers.permissions import Permission
from kwitness.contracts.audiences import rows_audience
from kwitness.contracts.endpoints import DRIVER_PORT, DRIVER_ROWS_PATH
from kwitness.contracts.envelopes import END_OF_ROWS, MAX_ROWS_BYTES, ErrorBody, RowsEnd
from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.kind_names import PLURALS
from kwitness.contracts.resources.meta import GROUP

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DriverAccess", "DriverRows"]

READERS: Final = "kwitness-readers"
"""The service account that reads unless another is named, in the namespace of the job."""
_TIMEOUT_S: Final = 90
"""Between two parts of an answer; a driver ends it after a minute."""
_MOST_BYTES: Final = MAX_ROWS_BYTES + 16 * 1024 * 1024
"""Of an answer: values, and what Arrow puts around them."""


class DriverRows(NamedTuple):
    """Rows, and what was left out of them."""

    rows: pa.Table
    end: RowsEnd


class DriverAccess:
    """Reads rows through drivers, as a service account whose token the caller may have.

    Parameters
    ----------
    reader
        The account, NAME of the job's namespace or NAMESPACE/NAME; None is `READERS`.
    address
        HOST:PORT of the driver's port; None has it forwarded.
    """

    def __init__(self, access: ClusterAccess, reader: str | None = None, address: str | None = None) -> None:
        self._access = access
        self._reader = reader or READERS
        self._address = address

    def rows(self, job: AnalyticsJob, *, limit: int | None, columns: Sequence[str], where: Sequence[str]) -> DriverRows:
        """Return rows of the table of a job whose driver runs, for which all conditions hold; without columns all.

        Raises
        ------
        NotPermittedError
            The caller may not have the token, or forward the port, or the account may not read rows of the job.
        CommandFailedError
            The driver cannot be reached, or does not answer with rows; the message says what to do.
        """
        fields = [("limit", limit), ("columns", ",".join(columns) or None), *(("where", text) for text in where)]
        query = urlencode([(name, value) for name, value in fields if value is not None])
        token = self._token(job)
        try:
            status, body = self._answer(job, f"{DRIVER_ROWS_PATH}?{query}", token)
        except (http.client.HTTPException, OSError) as error:
            where = f"--namespace {job.metadata.namespace}"
            raise CommandFailedError(
                f"the driver of AnalyticsJob {job.metadata.name} does not answer ({error or type(error).__name__}): "
                f"see `kwitness jobs describe {job.metadata.name} {where}` and `kubectl logs {_pod(job)} {where}`"
            ) from error
        if status != http.client.OK:
            raise self._refusal(job, status, body)
        return _parsed(job, body)

    def _account(self, job: AnalyticsJob) -> tuple[str, str]:
        place, _, name = self._reader.rpartition("/")
        return place or job.metadata.namespace, name

    def _token(self, job: AnalyticsJob) -> str:
        namespace, name = self._account(job)
        token = self._access.token(name, namespace, rows_audience(job.metadata.namespace, job.metadata.name))
        if token is None:
            raise CommandFailedError(
                f"there is no service account {name} in namespace {namespace}, as which rows of AnalyticsJob "
                f"{job.metadata.name} would be read: name another by --reader, or create it, and give it the right\n"
                f"  kubectl create serviceaccount {name} --namespace {namespace}\n"
                f"  {_right(job).grant(f'system:serviceaccount:{namespace}:{name}')}"
            )
        return token

    def _answer(self, job: AnalyticsJob, target: str, token: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("driver", DRIVER_PORT, timeout=_TIMEOUT_S)
        option = "--driver-address"
        connection.sock = (
            dial(self._address, option, DRIVER_PORT)
            if self._address
            else forward(self._access, job.metadata.namespace, [_pod(job)], DRIVER_PORT, option)
        )
        connection.sock.settimeout(_TIMEOUT_S)
        try:
            connection.request("GET", target, headers={"Authorization": f"Bearer {token}"})
            response = connection.getresponse()
            body = response.read(_MOST_BYTES + 1)
        finally:
            connection.close()
        if len(body) > _MOST_BYTES:
            raise CommandFailedError(
                f"the driver of AnalyticsJob {job.metadata.name} answered more than {_MOST_BYTES >> 20} MiB, which no "
                f"driver does: see what {_pod(job)} is"
            )
        return response.status, body

    def _refusal(self, job: AnalyticsJob, status: int, body: bytes) -> CommandFailedError:
        driver = f"the driver of AnalyticsJob {job.metadata.name}"
        try:
            error = ErrorBody.model_validate_json(body).error
        except ValidationError:
            return _unknown(job, f"status {status}")
        if status == http.client.FORBIDDEN:
            namespace, name = self._account(job)
            user = f"system:serviceaccount:{namespace}:{name}"
            return NotPermittedError(f"{driver}: {error.message}, for example by\n  {_right(job).grant(user)}")
        if error.reason == "NotFound":
            return CommandFailedError(
                f"{driver} is of a release that answers no rows: upgrade kwitness, or use `kubectl exec {_pod(job)} "
                f"--namespace {job.metadata.namespace} -- python3 -m kwitness.jobs.show {job.spec.analysis.type}`"
            )
        return CommandFailedError(f"{driver}: {error.message}")


def _parsed(job: AnalyticsJob, body: bytes) -> DriverRows:
    import pyarrow as pa  # noqa: PLC0415 - of the extra `tables`

    end: RowsEnd | None = None
    batches = []
    try:
        with pa.ipc.open_stream(body) as stream:
            for batch, metadata in stream.iter_batches_with_custom_metadata():
                batch.validate(full=True)
                batches.append(batch)
                if metadata is not None and END_OF_ROWS in metadata:
                    end = RowsEnd.model_validate_json(metadata[END_OF_ROWS])
            rows = pa.Table.from_batches(batches, stream.schema)
    except (pa.ArrowException, OSError, ValidationError) as error:
        raise _unknown(job, str(error)) from error
    if end is None:
        raise CommandFailedError(
            f"the answer of the driver of AnalyticsJob {job.metadata.name} was broken off: try again, with fewer "
            f"--columns or a --limit; `kubectl logs {_pod(job)} --namespace {job.metadata.namespace}` says more"
        )
    return DriverRows(rows, end)


def _right(job: AnalyticsJob) -> Permission:
    return Permission("get", f"{PLURALS['AnalyticsJob']}.{GROUP}/rows", job.metadata.namespace, job.metadata.name)


def _pod(job: AnalyticsJob) -> str:
    return (job.status.driver_pod if job.status else None) or "the driver's pod"


def _unknown(job: AnalyticsJob, found: str) -> CommandFailedError:
    return CommandFailedError(
        f"what the driver of AnalyticsJob {job.metadata.name} answers is not as this release of kwitness has it "
        f"({found}): use the command of the release that is installed, and see what {_pod(job)} is"
    )
