"""What Prometheus sees: names, labels, accumulators, the series budget, and the text format. No I/O, no clock."""
