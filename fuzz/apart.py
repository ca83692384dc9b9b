"""Arrays of a model file apart from each other in memory, so that ASan sees a step beyond one.

A file is read into one piece of memory, and its arrays are views of it: a core that read past the
end of an array would be in the next one, which no sanitizer can tell from what it may read.
"""

from treewright.persistence import container, model_file

READERS = (model_file,)


def apart(content: bytes) -> container.Container:
    """What a container holds, each array in memory of its own."""
    found = container.read_container(content)
    arrays = {name: array.copy() for name, array in found.arrays.items()}
    for array in arrays.values():
        array.flags.writeable = False  # as views of a file are
    return container.Container(found.model, arrays)


def keep_arrays_apart() -> None:
    """From now on every model file that this process reads is read so."""
    for module in READERS:
        module.read_container = apart
