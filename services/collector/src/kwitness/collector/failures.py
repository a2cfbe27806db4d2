"""Why a request is not answered with 200; each carries what the answer says."""

from __future__ import annotations

from typing import ClassVar


class RefusedError(Exception):
    """The request will never be accepted as it is: a status of 400 and above, final for the sender."""

    status: ClassVar[int] = 400

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class UnauthenticatedError(RefusedError):
    """No token, or one that nobody vouches for."""

    status = 401


class ForbiddenError(RefusedError):
    """A good token that may not do this."""

    status = 403


class NotFoundError(RefusedError):
    """The path, cluster or subscription is not known."""

    status = 404


class BodyTooLargeError(RefusedError):
    """More bytes than the cap, compressed or decompressed."""

    status = 413


class UnsupportedContentError(RefusedError):
    """A content type or encoding that is not understood."""

    status = 415


class MisdirectedError(RefusedError):
    """Another replica owns what the request is about; nothing is taken."""

    status = 421


class UnprocessableError(RefusedError):
    """A body that is not what it should be; half of it may be."""

    status = 422


class OldProtocolError(RefusedError):
    """The sender speaks a version of the protocol that is not served any more."""

    status = 426


class UnavailableError(RefusedError):
    """Not now: the sender keeps what it has and tries again after ``retry_after_s`` seconds."""

    status = 503
    retry_after_s = 2
