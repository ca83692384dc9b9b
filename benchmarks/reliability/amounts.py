"""How much a command is asked to do: never nothing, since trying nothing looks like success."""

import argparse


def at_least_one(text: str) -> int:
    """A number of the command line that counts what is tried."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not at least 1")
    return number
