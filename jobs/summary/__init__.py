"""What all finished runs of a skill say together, and what a week of a repository brought."""
