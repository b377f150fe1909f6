"""The shell: HTTP in, GitHub out, Redis between, and the command line."""
