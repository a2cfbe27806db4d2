"""MirrorAudit: whether a mirror holds what its source holds, of two Kafka clusters. It does not run yet.

What is here proves that its shapes fit: the inputs, and a transform that is tried on two frames alone. No sink reads
two clusters, it is in no list of job types, and no resource can ask for it.
"""
