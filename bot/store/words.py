"""Where the last word on a run lies that somebody asked for on the bot's own pages."""


def word_key(run_id: str) -> str:
    """The blob that holds it, as Markdown."""
    return f"datasets/{run_id}/word.md"
