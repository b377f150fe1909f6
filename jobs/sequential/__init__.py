"""Enough, not more: trials and eval cases that are added until it is sure, and no further."""
