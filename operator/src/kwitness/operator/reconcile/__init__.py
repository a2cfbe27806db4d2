"""Carries out decisions by the adapters, and runs what is no kind yet: the inventory, clean-up of deleted clusters."""
