"""`python -m tools.simulate`; what it does is told in `tools/simulate/run.py`."""

import sys

from tools.simulate.run import main

if __name__ == "__main__":
    sys.exit(main())
