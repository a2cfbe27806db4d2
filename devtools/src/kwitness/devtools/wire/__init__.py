"""What the crate `services/protocol` takes from Kafka: its message definitions as tables, its bytes as test vectors.

`definitions` reads the definitions that lie in the jars of Kafka's clients, `tables` writes them as Rust, `vectors`
runs the Java program that encodes messages with Kafka's own classes. `instructions`
counts what the crate takes for an exchange.
"""
