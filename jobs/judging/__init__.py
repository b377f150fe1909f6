"""Blinding, scrubbing, scoring; nothing here ever learns which arm is which."""
