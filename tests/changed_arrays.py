"""Arrays of model files with a change, for files that must be refused."""


def with_number(at, number):
    """A change that puts a number in one place of an array."""

    def change(array):
        changed = array.copy()
        changed[at] = number
        return changed

    return change
