"""Modes Sidecar and Broker: what the injector is told of a resource, and what became of the pods that it selects."""
