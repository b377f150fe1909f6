"""Decide: one small module per GitHub event; an event in, a decision out, no writes."""
