"""The local node, the images, the demo: what stands the platform up on real Kubernetes. Never shipped."""
