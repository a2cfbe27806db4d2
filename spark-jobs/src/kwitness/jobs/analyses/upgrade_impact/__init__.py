"""UpgradeImpact: who uses what brokers of a later release of Kafka no longer answer, by evidence from the wire."""
