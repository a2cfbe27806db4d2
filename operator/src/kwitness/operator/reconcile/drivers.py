"""Asking the driver of an AnalyticsJob how its run goes."""

from __future__ import annotations

import logging

from pydantic import ValidationError

from kwitness.contracts.audiences import driver_audience
from kwitness.contracts.envelopes import DriverStatus
from kwitness.operator.context import Context
from kwitness.operator.model.errors import TransientError
from kwitness.operator.model.store import Key

__all__ = ["ask_driver"]

_log = logging.getLogger(__name__)


async def ask_driver(context: Context, job: Key) -> DriverStatus | None:
    """What the driver says; None while it says nothing that can be read.

    Raises
    ------
    TransientError
        When the operator cannot ask.
    """
    try:
        audience = driver_audience(job.namespace, job.name)
        answer = await context.drivers.get(context.driver_url(job), audience=audience)
        return None if answer is None else DriverStatus.model_validate(answer)
    except ValidationError:
        _log.warning("The driver's answer has an unknown form", extra={"job": str(job)})
    except TransientError as error:
        # It is starting, or has just ended; what runs it tells which.
        if error.reason != "Starting":
            raise
    return None
