"""`treewright samples`: the bundled tables."""

import csv
from typing import Annotated

import typer

from treewright.cli.output import Output
from treewright.cli.streams import print_data, text_output
from treewright.cli.tables import sample_table, target_of_sample

IRIS = ("iris", 150, 4, "species")  # constants: scikit-learn, which has the data, loads slowly


def samples(
    name: Annotated[
        str | None, typer.Argument(help="Write this sample: CSV, or rows as JSON.")
    ] = None,
    *,
    output: Output,
) -> None:
    """List the bundled tables, or write one of them."""
    from treewright.data.samples import sample_names

    if name is not None:
        output.json(rows_of(name)) if output.as_json else write_csv(name)
        return
    header = ("name", "rows", "columns", "target")
    rows = [IRIS if known == "iris" else facts_of(known) for known in sample_names()]
    if output.as_json:
        output.json([dict(zip(header, row, strict=True)) for row in rows])
    else:
        output.table(header, [tuple("-" if fact is None else fact for fact in row) for row in rows])


def facts_of(name: str) -> tuple[str, int, int, str | None]:
    """Name, rows, columns without the target, target."""
    table = sample_table(name)
    target = target_of_sample(name, table)
    return name, table.n_rows, table.n_columns - (target is not None), target


def rows_of(name: str) -> list[dict[str, object]]:
    """The rows of a sample; a missing value is None."""
    table = sample_table(name)
    return [
        {column.name: column.value(row) for column in table.columns} for row in range(table.n_rows)
    ]


def write_csv(name: str) -> None:
    from treewright.data.samples import ALIASES, FILES, sample_file

    table = sample_table(name)
    file = ALIASES.get(name, name)
    if file in FILES:
        print_data(sample_file(file).read_text(encoding="utf-8"))
        return
    with text_output(None) as stdout:
        writer = csv.writer(stdout, lineterminator="\n")
        writer.writerow(table.names)
        cells = (column.to_numpy().tolist() for column in table.columns)
        writer.writerows(zip(*cells, strict=True))
