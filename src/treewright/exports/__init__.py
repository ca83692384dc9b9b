"""Trees as program code, queries and files for other programs.

`FORMATS` names them all. Adding one is adding a module with two functions, and a line here:

    write(program: Program, **options) -> str | bytes
    run(code, program: Program, rows: Table, **options) -> Answers      (what `verify_export` calls)

Options are keyword-only arguments with defaults. `run` is handed the options that `write` had.
A format that is not to be run, such as a picture, has no `run`.
"""

# Public name of a format: the module that writes it.
FORMATS = {
    "python": "treewright.exports.python_code",
}
