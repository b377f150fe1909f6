"""Eval cases of issues kept as JSON files, by one pull request."""
