"""Holds what sources answered, in memory, in the form that pages select from."""
