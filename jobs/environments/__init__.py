"""Environments: defined by a repository, prepared once, checked before anything is spent."""
