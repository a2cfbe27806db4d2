"""The collector: pushes come in; Prometheus, the topic and OTLP go out; nothing is lost uncounted."""
