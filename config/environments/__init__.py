"""Worlds for sessions: what a definition may say, and the ones that come with skillbench."""
