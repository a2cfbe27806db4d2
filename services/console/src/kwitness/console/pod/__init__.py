"""The console as a pod of a cluster: its settings, its listener with TLS, its probes and metrics."""
