"""LedgerAudit: gaps and duplicates of every source."""
