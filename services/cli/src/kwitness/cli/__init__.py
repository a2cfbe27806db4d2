"""The command `kwitness`, for a person at a terminal: one module a subcommand, each of which reads its own arguments.

Needs nothing but the standard library, and of kwitness the names of topics. To read YAML it needs PyYAML, and to write
to Kafka confluent-kafka, where they are installed. `fleet` is a library below it, of tests and benchmarks as well.
"""
