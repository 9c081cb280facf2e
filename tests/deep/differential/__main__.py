"""The command, apart from ``ask.py``, whose functions other processes have to find."""

import sys

from tests.deep.differential.ask import main

if __name__ == "__main__":
    sys.exit(main())
