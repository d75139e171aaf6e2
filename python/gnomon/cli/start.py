"""Where the console script begins: Ctrl-C is answered while the rest is being imported, too."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit.

    Importing it takes a third of a second, time enough to press Ctrl-C; nothing that is slow to
    import may stand above this function.
    """
    try:
        from gnomon.cli.main import main as command_line  # noqa: PLC0415  # slow, see above

        command_line()
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("interrupted\n")
        sys.exit(130)
