"""A real Kubernetes node in one container: its image, its privileges, its start and its removal.

Usage: `python -m kwitness.e2e.node start NAME`, `load NAME IMAGE...`, `stop NAME`.
"""
