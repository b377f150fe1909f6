"""What code decides about an output: commands of the eval case, and plain assertions."""
