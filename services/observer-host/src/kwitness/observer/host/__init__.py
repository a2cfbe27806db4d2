"""The process that reads kwitness.requests and calls observers: nothing of one may harm another, or the reading."""
