"""What tests, demo and benchmarks stand on: a Kubernetes node, an API server, brokers. Never shipped."""
