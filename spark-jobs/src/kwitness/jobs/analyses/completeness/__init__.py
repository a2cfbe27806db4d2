"""Completeness: whether what was sent is in the log, and was handed to each group."""
