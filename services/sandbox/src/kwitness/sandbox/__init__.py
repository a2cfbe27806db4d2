"""Starts a broker, a collector, an observer and clients as processes on loopback, without Kubernetes or containers.

The command `kwitness try` runs them for a first look; tests, demo and benchmarks start brokers with the same code and
wait by the same rules. Nothing here decides what is shown, and no process of an installation imports it.
"""
