"""What a developer's commands run: the test suite, prerequisites, reference pages, cleaning. Never shipped.

Does not belong here: what stands the platform up (`kwitness.demo`) and what that stands on (`kwitness.e2e`).
"""
