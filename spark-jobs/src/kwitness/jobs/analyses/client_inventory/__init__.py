"""ClientInventory: every client instance that pushed, and every software version seen connected."""
