"""Models of many trees as program code, queries and files.

`SUM_FORMATS` lists them, and a module has the same functions as for one tree (see
`treewright.exports`), with a `SumProgram` in place of a `Program`.
"""

SUM_FORMATS = {
    "python": "treewright.exports.sums.python_code",
    "c": "treewright.exports.sums.c_code",
    "java": "treewright.exports.sums.java_code",
    "rust": "treewright.exports.sums.rust_code",
    "javascript": "treewright.exports.sums.javascript_code",
    "json": "treewright.exports.sums.json_document",
    "sql": "treewright.exports.sums.sql_query",
    "onnx": "treewright.exports.sums.onnx_file",
    "pmml": "treewright.exports.sums.pmml_file",
    "xgboost": "treewright.exports.sums.xgboost_model",
    "treelite": "treewright.exports.sums.treelite_model",
}
