"""The only GitHub client: App auth, reads, idempotent writes."""
