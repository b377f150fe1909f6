"""What a deployment, a repository and the model market let us know; imports nothing of ours."""
