"""The way out of a session: to the model API with the worker's key, to hosts that are allowed."""
