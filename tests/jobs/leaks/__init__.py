"""What gives a comparison away."""
