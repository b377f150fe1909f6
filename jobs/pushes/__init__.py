"""What a push to the default branch means for the skills that it changed."""
