"""`python -m treewright` is the `treewright` command."""

from treewright.cli.main import command

if __name__ == "__main__":
    command()
