"""From answers to what a person reads: cells, words and sentences. Nothing here asks, waits or prints."""
