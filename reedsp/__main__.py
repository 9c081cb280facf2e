"""``python -m reedsp`` is the command ``reedsp``."""

from reedsp.cli.command import main

if __name__ == "__main__":
    main()
