"""What a worker does beside its jobs, so that nothing is lost and nothing piles up."""
