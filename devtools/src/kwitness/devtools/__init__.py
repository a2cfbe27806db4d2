"""Programs that the Makefile runs for those who work on kwitness: its test suite first of all. Never shipped.

Nothing that is shipped, and nothing that a test is about, belongs here.
"""
