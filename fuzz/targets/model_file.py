"""`tw.load` and eight rows for whatever comes out of it."""

from random import Random

from fuzz.judging import judged
from fuzz.mutants import Mutator, changed_bytes, parsed, with_checksum
from fuzz.seeds import seed_files
from treewright.errors import ModelFileError


def check(data: bytes) -> None:
    judged(data)


class StructuredMutator:
    """Changes what a file says, not its bytes alone, and makes the checksum fit."""

    def __init__(self) -> None:
        self.mutator = Mutator(seed_files())

    def __call__(self, data: bytes, most_bytes: int, seed: int) -> bytes:
        rng = Random(seed)
        changed = self.changed(bytes(data), rng)
        return changed if len(changed) <= most_bytes else self.changed(bytes(data[:100]), rng)

    def changed(self, data: bytes, rng: Random) -> bytes:
        """A mutant of the file, if it is one; otherwise of bytes, or of a sound file."""
        mutator = self.mutator
        if rng.random() < 0.1:
            return with_checksum(changed_bytes(data, rng)) if data else b"{"
        try:
            mutator.parsed["given"] = parsed(data)
        except ModelFileError:
            return mutator.changed_document(rng.choice(mutator.names), rng)
        return mutator.changed_document("given", rng)
