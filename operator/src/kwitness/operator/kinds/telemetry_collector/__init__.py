"""TelemetryCollector: the one door through which telemetry enters, for one cluster."""
