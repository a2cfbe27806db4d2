"""Converts resources between versions of the API: pure functions, one module for each kind."""
