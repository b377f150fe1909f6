"""The first words to a repository: what was found in it, and how to start."""
