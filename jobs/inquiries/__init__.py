"""Answers to reading commands: what is known, as Markdown; nothing is started and nothing paid."""
