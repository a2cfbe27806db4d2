"""Stamp, Tracing and Checksum: headers that records get on their way; key, value and partition stay as they are."""
