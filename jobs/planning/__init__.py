"""Which runs a request means, and which of them are done already."""
