"""The command `kwitness`, for a person at a terminal: one module a subcommand, each of which reads its own arguments.

Needs nothing but the standard library, and no other component; to read YAML, PyYAML where it is installed.
"""
