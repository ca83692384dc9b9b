"""SQL: one SELECT that answers the rows of a table as the model does.

write: program -> typed columns -> (pieces of a deep tree) -> branches -> (sums of shares) -> SELECT
run:   a table made of rows, the query run on it by sqlite3, duckdb or a connection given
"""

from treewright.exports.sql.trial import run, storable
from treewright.exports.sql.writer import write

__all__ = ["run", "storable", "write"]
