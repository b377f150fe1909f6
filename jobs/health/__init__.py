"""Whether a run's figures may be believed: what was expected, what was seen, what was counted."""
