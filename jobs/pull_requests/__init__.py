"""What a pull request does to the skills it changes: its head held against its base."""
