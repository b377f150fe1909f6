"""Targets against servers that play their contracts, and break them."""
