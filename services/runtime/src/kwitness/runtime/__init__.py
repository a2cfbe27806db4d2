"""Furniture that two or more of our processes use: logging, probes, subscription semantics.

No policy of any one process belongs here.
"""
