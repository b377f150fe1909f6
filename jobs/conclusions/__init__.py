"""What a skill's set of eval cases says: helps, hurts, no difference shown, or less than that."""
