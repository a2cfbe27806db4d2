"""Spark jobs: each a pure transform over typed frames plus a short run. Imports contracts only."""
