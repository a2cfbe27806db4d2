"""MirrorAudit: whether a mirror holds what its source holds, of two Kafka clusters."""
