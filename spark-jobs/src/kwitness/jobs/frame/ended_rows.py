"""Keeps rows of clients that are gone apart from those that batches write again, in a partition of their own."""

from __future__ import annotations

from datetime import datetime

from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.jobs.frame.job import JobInput, Settled
from kwitness.jobs.frame.moments import epoch_ms

#: A client that was not seen for so long is kept apart from those that come again and again.
ENDED_AFTER_MS = 86_400_000


def settled(job_input: JobInput, now: datetime) -> Settled:
    """Rows that housekeeping puts among the ended ones: a client that was killed never says that it ends.

    The table has `last_seen_ms`, and is partitioned by `ended`.
    """
    del job_input
    horizon = F.lit(epoch_ms(now) - ENDED_AFTER_MS)
    return Settled(~F.coalesce("ended", F.lit(False)) & (F.col("last_seen_ms") < horizon), {"ended": F.lit(True)})
