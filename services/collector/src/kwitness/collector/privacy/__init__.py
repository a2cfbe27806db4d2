"""What of a push nobody outside may see: identities treated, payloads rewritten. In memory alone anything is raw."""
