"""Counts what the project no longer writes: replaced words in names, and habits of prose. The counts only fall."""
