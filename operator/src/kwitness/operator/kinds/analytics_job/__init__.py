"""AnalyticsJob: what runs its driver, one at a time, what the driver says, and which runs have ended."""
