"""Places in Kafka as columns, beside positions."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.jobs.frame.offsets import Positions


def not_below(positions: Positions, prefix: str = "") -> Column:
    """Whether a row's offset is not below the position of its partition; one of a partition without any is not.

    Parameters
    ----------
    prefix
        Of the columns `topic`, `partition` and `offset`.
    """
    topics, partitions, offsets = (F.col(f"{prefix}{name}") for name in ("topic", "partition", "offset"))
    below = (
        (topics == topic) & (partitions == partition) & (offsets < offset)
        for (topic, partition), offset in positions.items()
        if offset > 0
    )
    return ~reduce(Column.__or__, below, F.lit(False))
