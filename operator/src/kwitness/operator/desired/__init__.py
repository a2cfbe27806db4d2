"""Builds what kinds share of objects, broker configs and statuses, from observations. Pure: no I/O, no clock."""
