"""Texts that clients chose, kept short enough for a table's keys."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

MAX_TEXT = 512


def bounded(text: Column) -> Column:
    """The text if it is short, else its beginning and a digest of the whole, so that two long texts stay different."""
    long = F.concat(F.substring(text, 1, MAX_TEXT - 17), F.lit("~"), F.substring(F.sha2(text, 256), 1, 16))
    return F.when(F.length(text) > MAX_TEXT, long).otherwise(text)
