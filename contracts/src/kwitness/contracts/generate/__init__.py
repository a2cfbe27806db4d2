"""Writes everything that follows from the contracts: tables, CRDs, schemas, constants, reference pages.

Each module makes one kind of file from models and registries and returns its text; only `__main__` writes.
Used during development; no other portion imports it.
"""
