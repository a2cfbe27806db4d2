"""Observers to use as they are, or to begin from."""
