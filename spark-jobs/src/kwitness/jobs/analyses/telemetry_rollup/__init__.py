"""TelemetryRollup: what clients report about themselves, by metric and client, in windows."""
