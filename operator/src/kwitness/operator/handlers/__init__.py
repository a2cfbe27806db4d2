"""The seam to kopf: events become stored objects and keys in a queue. No policy, nothing that writes."""
