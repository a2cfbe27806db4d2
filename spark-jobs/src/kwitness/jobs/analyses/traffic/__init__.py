"""Traffic: who sent and fetched how much, by topic and client, in windows."""
