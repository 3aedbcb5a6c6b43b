"""``python -m numaaudit``."""

from numaaudit.cli.app import main

if __name__ == "__main__":
    main()
