"""What a commit holds: its skills and its eval cases."""
