"""What a broker's CLIENT_METRICS configs mean: reading, writing, matching, uniting and judging them. Pure; no I/O."""
