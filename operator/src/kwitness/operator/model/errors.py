"""What can stop a reconcile. The class is the retry decision; the reason is what the resource's status says.

``message`` is ours from the first to the last word: what a remote end sent is never quoted, since a status is readable
by people who may not read the remote end.
"""

from __future__ import annotations

from typing import Any

from typing_extensions import override

__all__ = [
    "InternalError",
    "KubernetesUnavailableError",
    "NotServedError",
    "OperatorError",
    "OvertakenError",
    "TerminalError",
    "TransientError",
]


class OperatorError(Exception):
    """Something that becomes a condition.

    Attributes
    ----------
    reason
        One CamelCase word of ``kwitness.contracts.reasons``.
    message
        What is the case and what to do.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.message = message

    @override
    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.reason, self.message)


def _restored(of: type[OperatorError], reason: str, message: str) -> OperatorError:
    error = of.__new__(of)
    OperatorError.__init__(error, reason, message)
    return error


class TerminalError(OperatorError):
    """Trying again changes nothing until a resource or a right is changed. Looked at again at the resync."""


class TransientError(OperatorError):
    """The cause may pass by itself: tried again with growing intervals."""


class KubernetesUnavailableError(TransientError):
    """The API server does not answer: says nothing about any resource, and no status could be written now."""

    def __init__(self, message: str) -> None:
        super().__init__("KubernetesUnavailable", message)


class NotServedError(KubernetesUnavailableError):
    """The API server answers and knows no such kind: its definition is missing, or not ready yet."""


class OvertakenError(TransientError):
    """What a write was decided from no longer holds, so it was not sent; it is to be decided again."""

    def __init__(self) -> None:
        super().__init__("ClusterNotReady", "the KafkaCluster changed while its brokers were connected to")


class InternalError(TransientError):
    """An exception that nobody foresaw. Its text is left out, since it may hold what a remote end sent."""

    def __init__(self, cause: Exception) -> None:
        name = type(cause).__name__
        super().__init__(
            "InternalError",
            f"an unexpected {name} stopped the operator's work on this resource, and it is tried again: see the"
            f" operator's log for {name}, and report it",
        )
