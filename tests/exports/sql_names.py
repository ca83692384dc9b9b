"""Other names for columns that an engine cannot have under their own."""

from treewright.errors import ExportError
from treewright.exports.sql.dialects import DIALECTS


def renamed_columns(names, dialect):
    """Name in the model -> name in the table, where the dialect refuses the first."""
    spoken = DIALECTS[dialect]
    renamed, seen = {}, set()
    for at, name in enumerate(names):
        try:
            spoken.check_name(name)
            is_new = spoken.folded(name) not in seen
        except ExportError:
            is_new = False
        seen.add(spoken.folded(name))
        if not is_new:
            renamed[name] = f"column {at}"
    return renamed
