"""Real Kafka brokers of every supported version as processes on loopback, and what tests say to them themselves."""
