"""Beside clients and brokers: what the injector is told of a resource, and what became of the pods that it selects."""
