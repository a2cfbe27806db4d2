"""Asks the API server and a collector, with the permissions of the person or account that asks."""
