"""CostAttribution: what the traffic and the storage of a month cost, and whose it is, to the last byte."""
