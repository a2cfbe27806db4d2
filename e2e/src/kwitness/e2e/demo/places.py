"""Where the demo stands: on a node of its own, or on the cluster that kubectl points to."""

from __future__ import annotations

import os
import time
from pathlib import Path

from kwitness.e2e import images
from kwitness.e2e.cache import cache_folder
from kwitness.e2e.demo.cluster import DemoCluster
from kwitness.e2e.demo.progress import DemoError, Progress
from kwitness.e2e.demo.up import Place
from kwitness.e2e.node import KubernetesNode

STEPS = 3
"""Steps that this module announces."""
NODE = "kwitness-demo"
"""The demo's node. Tests have another, so that they leave a running demo alone."""
