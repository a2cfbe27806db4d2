"""ClientMetricsSubscription: what clients of a Kafka cluster are asked for."""
