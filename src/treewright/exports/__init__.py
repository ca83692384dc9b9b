"""Trees as program code, queries and files for other programs.

`FORMATS` names them all. Adding one is adding a module with these functions, and a line here:

    write(program: Program, **options) -> str | bytes
    run(code, program: Program, rows: Table, **options) -> Answers    (what `verify_export` calls)
    storable(rows: Table, **options) -> Table    (the nearest rows that the target can hold)

Options are keyword-only arguments with defaults. `run` is handed the options that `write` had, and
`timeout` if it has such an argument; code that does not run is a `ProgramError`.
Only `write` must be there: a picture has no `run`, and most targets hold every row.
"""

from typing import Literal

# What `to=` may be: the names of the formats, then their synonyms.
FormatName = Literal[
    "python", "c", "java", "javascript", "rust", "dot", "json", "sql", "pmml", "onnx", "excel",
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
}
# Other names that people give a format, among them the endings of its files.
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
