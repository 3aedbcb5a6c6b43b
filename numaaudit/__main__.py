"""``python -m numaaudit``, and the command ``numaaudit``."""

import gc
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; never returns. Ctrl-C while modules are still loaded is no traceback either."""
    gc.disable()  # a command makes many records and hardly a cycle: looking for cycles is 6 % of `check` on 2,400 threads
    try:
        from numaaudit.cli.app import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
