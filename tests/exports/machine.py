"""What this machine can run: tests of a language are skipped, with a reason, where it is absent."""

import shutil

import pytest


def needs(*programs: str) -> pytest.MarkDecorator:
    absent = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(absent), reason=f"{', '.join(absent)} not on this machine")
