"""The console: pages that show operators of Kafka their clients, from an index that is filled beside requests.

`door` lets the person in who started it, `sources` ask the collector, `index` holds their answers, `pages` show them.
A page never asks a source (docs/decisions/0190).
"""
