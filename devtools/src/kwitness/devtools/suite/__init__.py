"""The test suite as `make test` runs it: its groups side by side, and the time of each beside the committed figure."""
