"""How a description is measured where nobody says otherwise; light, for the command line."""

RUNS_PER_QUERY = 3
THRESHOLD = 0.5
"""From this rate on a skill counts as fired."""
AT_ONCE = 10
"""Sessions that go on together."""
TIMEOUT_S = 300.0
"""Of one session; what happens later in a session is no choice of a skill any more."""
MAX_ITERATIONS = 5
HOLDOUT = 0.4
"""Fraction of each kind of queries that a description is judged by and not learnt from."""
SEED = 42
