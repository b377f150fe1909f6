"""`python -m tools.fuzz`; what it does is told in `tools/fuzz/run.py`."""

import sys

from tools.fuzz.run import main

if __name__ == "__main__":
    sys.exit(main())
