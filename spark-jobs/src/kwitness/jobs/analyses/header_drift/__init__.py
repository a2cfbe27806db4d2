"""HeaderDrift: which header keys are in use, by topic and client, and how that differs from the registers."""
