"""What a broker's CLIENT_METRICS configs mean: reading, writing, matching and judging them.

Pure: no I/O, no clock, no process of ours; what is done about a verdict is the operator's business.
"""
