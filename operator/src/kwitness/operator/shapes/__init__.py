"""What decisions are made of: facts, needs, outcomes, and a kind as the engine sees it. Values, no I/O."""
