"""The arithmetic of evidence: intervals and tests, from libraries where they have them."""
