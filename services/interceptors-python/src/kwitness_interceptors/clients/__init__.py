"""The clients: how each of them is made to call a chain."""
