"""Where the demo stands: on a node of its own, or on the cluster that kubectl points to."""

from __future__ import annotations

STEPS = 3
"""Steps that this module announces."""
NODE = "kwitness-demo"
"""The demo's node. Tests have another, so that they leave a running demo alone."""
