"""The command `kwitness`, for a person at a terminal: one module a subcommand, imported when it is asked for.

`__main__` runs it; `subcommands` lists them. Those that ask a cluster are typer's and share `options`, `output` and
`progress`; they need the extra `command`. What they answer comes from `kwitness.answers`. Those that read their own
arguments need nothing at their start but the standard library, and of kwitness the names of topics. A subcommand that
needs more, or another component, says what to install: PyYAML to read YAML, confluent-kafka to write to Kafka, the
extra `tables` to read tables, the extra `spark` to run jobs. `fleet` is a library below it, of tests and benchmarks as
well.
"""
