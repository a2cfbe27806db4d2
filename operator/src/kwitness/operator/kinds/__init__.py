"""One folder for each kind that the engine runs: what it needs and what it decides. Pure; nothing here awaits."""
