"""The command `kwitness`, for a person at a terminal: one module a subcommand, each of which reads its own arguments.

Needs nothing at its start but the standard library, and of kwitness the names of topics. A subcommand that needs more,
or another component, says what to install: PyYAML to read YAML, confluent-kafka to write to Kafka, the extra `tables`
to read tables, the extra `spark` to run jobs. `fleet` is a library below it, of tests and benchmarks as well.
"""
