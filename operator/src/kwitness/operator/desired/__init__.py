"""What should be: pure functions from what was observed to objects, broker configs and statuses. No I/O, no clock."""
