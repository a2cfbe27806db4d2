"""The methods that KIP-388 gives an observer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from kwitness.observer.views import ApiKey, Request, Response

__all__ = ["Observer"]


class Observer(ABC):
    """Is told of each request and response of Kafka clients, in the order of each connection.

    The host calls the constructor without arguments, then `configure`, then the two record methods, then `close`, and
    nothing after that; all of them on one thread, which is this observer's own. What they return is ignored. A record
    method that raises loses the event it was called for. One that takes longer than events come loses events: those
    that do not fit its queue any more.
    """

    def configure(self, config: Mapping[str, str]) -> None:  # noqa: B027 - an observer without settings needs none
        """Take the settings that the resource has for this observer.

        Raises
        ------
        Exception
            Any: the observer is not used, and its text is shown.
        """

    @abstractmethod
    def record_request(  # noqa: PLR0917 - the arguments that the proposal has
        self,
        request: Request,
        client_address: str | None,
        principal: str | None,
        api_key: ApiKey,
        api_version: int,
        correlation_id: str,
    ) -> None:
        """Take note of a request.

        Parameters
        ----------
        request
            What is known of it; read only.
        client_address
            IP address of the client; None where it is not known, or was dropped.
        principal
            Who the client is, such as ``User:alice``; None likewise.
        api_key
            Which request it is.
        api_version
            Its version.
        correlation_id
            Is the same in the call for its response, and differs between connections.
        """

    @abstractmethod
    def record_response(self, response: Response, api_version: int, correlation_id: str) -> None:
        """Take note of the response to the request with this ``correlation_id``; a request may have none."""

    def close(self, timeout: float) -> None:  # noqa: B027 - an observer that holds nothing has nothing to close
        """Give back what is held, within ``timeout`` seconds: the process may end after that."""
