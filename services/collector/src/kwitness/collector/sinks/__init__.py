"""Where pushes go besides Prometheus: one adapter per outside system."""
