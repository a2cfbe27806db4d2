"""Asks the collector of a KafkaCluster as one of its readers (docs/decisions/0102)."""

from __future__ import annotations

import http.client
from types import TracebackType
from typing import Final, Protocol, Self, TypeVar
from urllib.parse import urlencode

from pydantic import BaseModel, ValidationError

from kwitness.answers.failure import CommandFailedError
from kwitness.contracts.endpoints import MAX_QUESTION
from kwitness.contracts.envelopes import ErrorBody

__all__ = ["CollectorAccess", "CollectorRefusedError", "CollectorRoute"]

_MOST_BYTES: Final = 16 * 1024 * 1024
"""Of an answer; a page of a thousand clients is a few megabytes."""

Model = TypeVar("Model", bound=BaseModel)


class CollectorRoute(Protocol):
    """The way to one collector, and the right to read it."""

    @property
    def name(self) -> str:
        """The collector's name, for messages."""

    def connect(self) -> http.client.HTTPConnection:
        """Open a connection.

        Raises
        ------
        OSError
            The collector cannot be reached.
        CommandFailedError
            No connection can be made, for a reason that the message names.
        """

    def token(self) -> str:
        """Return a reader's token that is valid now.

        Raises
        ------
        CommandFailedError
            None can be had.
        """

    def explain(self, error: Exception) -> str:
        """Say why the collector does not answer, and what to do."""


class CollectorRefusedError(CommandFailedError):
    """The collector answered with an error.

    Attributes
    ----------
    answered
        The HTTP status, such as 404.
    reason
        One stable word, such as UnknownClient.
    """

    def __init__(self, answered: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.answered = answered
        self.reason = reason


class CollectorAccess:
    """Asks one collector, over one connection that is opened with the first question; a context manager."""

    def __init__(self, route: CollectorRoute) -> None:
        self._route = route
        self._connection: http.client.HTTPConnection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def name(self) -> str:
        """The collector's name."""
        return self._route.name

    def close(self) -> None:
        """End the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def get(self, path: str, model: type[Model], **parameters: str | int | None) -> Model:
        """Ask for ``path`` and return the answer as ``model``; parameters that are None are not sent.

        Raises
        ------
        CollectorRefusedError
            It answered with an error, which has the collector's own words.
        NotPermittedError
            No reader's token or no port can be had.
        CommandFailedError
            It cannot be reached, or answers what this release does not understand.
        """
        query = urlencode({name: value for name, value in parameters.items() if value is not None})
        target = f"{path}?{query}" if query else path
        if len(target) > MAX_QUESTION:
            raise CommandFailedError(
                f"the question has {len(target)} bytes, and a collector reads {MAX_QUESTION} at most: give the "
                "beginning of a name and * in place of the whole name"
            )
        status, body = self._answer(target)
        try:
            if status == http.client.OK:
                return model.model_validate_json(body)
            error = ErrorBody.model_validate_json(body).error
        except ValidationError as invalid:
            raise CommandFailedError(
                f"what collector {self.name} answers ({status}) is not as this release of kwitness has it: use the "
                "command of the release that is installed"
            ) from invalid
        raise CollectorRefusedError(status, error.reason, f"collector {self.name}: {error.message}")

    def _answer(self, target: str) -> tuple[int, bytes]:
        try:
            return self._send(target)
        except (http.client.RemoteDisconnected, ConnectionError, BrokenPipeError):
            # A connection that had nothing to do for a minute is closed by the collector.
            self.close()
        except (http.client.HTTPException, OSError) as error:
            raise self._unreachable(error) from error
        try:
            return self._send(target)
        except (http.client.HTTPException, OSError) as error:
            raise self._unreachable(error) from error

    def _send(self, target: str) -> tuple[int, bytes]:
        connection = self._connection or self._route.connect()
        self._connection = connection
        # Nothing is decompressed: a few kilobytes could become gigabytes.
        headers = {"Authorization": f"Bearer {self._route.token()}", "Accept-Encoding": "identity"}
        connection.request("GET", target, headers=headers)
        response = connection.getresponse()
        body = response.read(_MOST_BYTES + 1)
        if len(body) > _MOST_BYTES:
            self.close()
            raise CommandFailedError(
                f"collector {self.name} answered more than {_MOST_BYTES >> 20} MiB: ask for less (--limit)"
            )
        if response.will_close:
            self.close()  # http.client would dial the name of the connection itself, which the route alone can reach
        return response.status, body

    def _unreachable(self, error: Exception) -> CommandFailedError:
        self.close()
        return CommandFailedError(self._route.explain(error))
