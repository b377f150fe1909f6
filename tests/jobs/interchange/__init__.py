"""Runs in the files of skill-creator."""
