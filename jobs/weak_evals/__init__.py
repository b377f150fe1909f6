"""Whether an eval case can tell a good answer from a bad one: canaries, assertions over runs."""
