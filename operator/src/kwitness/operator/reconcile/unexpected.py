"""Exceptions that nobody foresaw: they too become a condition, since a resource without a status helps nobody."""

from __future__ import annotations

import logging

from kwitness.operator.model.errors import InternalError, OperatorError

__all__ = ["as_operator_error"]

_log = logging.getLogger(__name__)


def as_operator_error(error: Exception, kind: str, key: object) -> OperatorError:
    """What the status of ``key`` says of ``error``: itself, or, logged with its traceback, an `InternalError`."""
    if isinstance(error, OperatorError):
        return error
    _log.error("Unexpected error", extra={"kind": kind, "key": str(key)}, exc_info=error)
    return InternalError(error)
