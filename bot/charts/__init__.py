"""Charts as images: drawn with matplotlib, beside the web process, from what the pages show."""
