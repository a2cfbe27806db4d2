"""What the operator speaks of: resources, verdicts, errors, what a Kafka cluster is like. Pure: no I/O, no settings."""
