"""SQL: one SELECT that predicts the rows of a table as the model does.

write: program -> typed columns -> (pieces of a deep tree) -> branches -> (sums of shares) -> SELECT
run:   create a table from rows, run the query by sqlite3, duckdb or a given connection
"""

from treewright.exports.sql.runner import run, storable
from treewright.exports.sql.writer import write

__all__ = ["run", "storable", "write"]
