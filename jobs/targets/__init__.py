"""One module for each kind of system that can be asked."""
