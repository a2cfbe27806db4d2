"""GET /rows of an AnalyticsJob's driver: rows of its table as a stream of Arrow, and how the stream ends."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from .envelope_model import Count, Envelope

__all__ = ["END_OF_ROWS", "MAX_ROWS", "MAX_ROWS_BYTES", "ROWS_CONTENT_TYPE", "RowsEnd"]

ROWS_CONTENT_TYPE: Final = "application/vnd.apache.arrow.stream"
MAX_ROWS: Final = 500_000
"""Of an answer, also where a higher limit is requested."""
MAX_ROWS_BYTES: Final = 64 * 1024 * 1024
"""Of the values in an answer, as Arrow has them in memory; nothing is compressed."""
END_OF_ROWS: Final = b"kwitness.rows_end"
"""The metadata of the last batch, which has no rows: a `RowsEnd` as JSON. A stream without it was broken off."""


class RowsEnd(Envelope):
    """The rows that an answer has and leaves out."""

    rows: Count = Field(description="Rows in the answer.")
    left_out: Count = Field(description="Rows of the table that are not in it.")
    reason: Literal["limit", "rows", "bytes", "time"] | None = Field(
        None,
        description="Why the answer ended before the table: the requested limit, or a bound of the driver. Absent "
        "where all rows are in it.",
    )
    table_version: Count = Field(description="Version of the Delta table that was read.")
