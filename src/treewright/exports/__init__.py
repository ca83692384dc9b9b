"""Trees as program code, queries and files for other programs.

`FORMATS` lists them. To add one, add a module with these functions, and an entry here:

    write(program: Program, **options) -> str | bytes
    run(code, program: Program, rows: Table, **options) -> Predictions    (for `verify_export`)
    storable(rows: Table, **options) -> Table    (the nearest rows that the target can store)

Options are keyword-only arguments with defaults. `run` gets the options of `write`, and `timeout`
if it has that argument; it raises a `ProgramError` if the code does not run. Only `write` is
required: a picture has no `run`, and most targets can store every row.
"""

from typing import Literal

# What `to=` may be: the names of the formats, then their synonyms.
FormatName = Literal[
    "python", "c", "java", "javascript", "rust", "dot", "json", "sql", "pmml", "onnx", "excel",
    "xgboost", "treelite",
    "py", "js", "node", "ecmascript", "rs", "h", "graphviz", "gv", "xlsx", "xml",
]  # fmt: skip

# Public name of a format: the module that writes it.
FORMATS = {
    "python": "treewright.exports.languages.python_code",
    "c": "treewright.exports.languages.c_code",
    "java": "treewright.exports.languages.java_code",
    "javascript": "treewright.exports.languages.javascript_code",
    "rust": "treewright.exports.languages.rust_code",
    "dot": "treewright.exports.dot_graph",
    "json": "treewright.exports.json_program",
    "sql": "treewright.exports.sql",
    "pmml": "treewright.exports.files.pmml_file",
    "onnx": "treewright.exports.files.onnx_file",
    "excel": "treewright.exports.files.excel_file",
    "xgboost": "treewright.exports.sums.xgboost_model",
    "treelite": "treewright.exports.sums.treelite_model",
}
# Formats for many trees: one tree is a sum of one.
OF_SUMS = ("xgboost", "treelite")
# Other names of the formats, including file extensions.
SYNONYMS = {
    "py": "python",
    "js": "javascript",
    "node": "javascript",
    "ecmascript": "javascript",
    "rs": "rust",
    "h": "c",
    "graphviz": "dot",
    "gv": "dot",
    "xlsx": "excel",
    "xml": "pmml",
}
