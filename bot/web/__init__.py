"""The bot's own pages for people: runs of datasets, begun, watched and compared."""
