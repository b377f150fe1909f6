"""Runs that have ended, taken up once more: scored again, or told again."""
