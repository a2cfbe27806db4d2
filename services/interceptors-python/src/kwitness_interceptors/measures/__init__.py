"""Audit, Latency and Sizes: what is counted, by window, topic and partition."""
