"""Reads the collector in tasks of their own, and fills the index with its answers."""
