"""HeaderRegistry: who has which header key, under which number."""
