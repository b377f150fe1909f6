"""Sets of eval cases with a known truth, at the functions that reports are made with."""
