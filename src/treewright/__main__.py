"""The process of the `treewright` command, also as `python -m treewright`."""

import os

INTERRUPTED = 130


def command() -> None:
    """Run the command; Ctrl-C while its modules are loaded ends it without a traceback."""
    try:
        from treewright.cli.main import command as run

        run()
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)


if __name__ == "__main__":
    command()
