"""What was counted, on its way to the collector; nothing else here knows how it gets there."""
