"""Mutated input of every kind that strangers send: what must hold is that nothing breaks."""
