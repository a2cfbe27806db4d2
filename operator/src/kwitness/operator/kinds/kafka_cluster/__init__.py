"""KafkaCluster: a connection to a Kafka cluster that exists, looked at and given the platform's topics."""
