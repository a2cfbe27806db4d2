"""The command `kwitness`, for a person at a terminal: one module a subcommand, each of which reads its own arguments.

Needs nothing but the standard library at its start. A subcommand that needs more, or another component, says what to
install: PyYAML to read YAML, the extra `tables` to read tables, the extra `spark` to run jobs.
"""
