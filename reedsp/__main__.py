"""``python -m reedsp`` is the command ``reedsp``."""

from reedsp.cli import main

if __name__ == "__main__":
    main()
