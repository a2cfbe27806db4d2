"""Runs the kinds: reads facts, asks for decisions, carries them out, writes statuses, wakes who needs what changed."""
