"""What an OTLP message says, as frozen data. Decoding only: no Prometheus, no Kafka, no client's history."""
