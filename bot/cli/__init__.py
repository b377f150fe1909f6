"""The command line: one small module per command; `bot.__main__` is the way in."""
