"""Completeness: whether what was meant to be sent was carried, and what was carried was consumed. It does not run yet.

What is here proves that the frame fits it: the shapes, and a transform that is tried on frames alone. It is in no list
of job types, and no resource can ask for it.
"""
