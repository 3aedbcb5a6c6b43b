"""``python -m numaaudit``, and the command ``numaaudit``."""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; never returns. Ctrl-C while modules are still loaded is no traceback either."""
    try:
        from numaaudit.cli.app import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
