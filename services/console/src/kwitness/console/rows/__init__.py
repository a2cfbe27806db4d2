"""Selects from the index what pages show: pure queries, each with its filters, order and bounds."""
