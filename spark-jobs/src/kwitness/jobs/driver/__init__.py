"""A driver: its life, its status and who may read it."""
