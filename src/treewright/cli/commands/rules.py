"""`treewright rules`: print a saved model as rules."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from treewright.cli.fitted_models import check_flags_of_trees, is_learned
from treewright.cli.output import (
    JsonOption,
    Output,
    QuietOption,
    check_can_write,
    write_text,
)
from treewright.cli.saved import ModelArgument, TreeOption, load_model_or_tree
from treewright.errors import ParameterError

Format = Literal["text", "markdown", "latex", "csv", "json"]
MOST_FOOTNOTES = 12  # on missing values, unless the user asks for more


def rules(
    model: ModelArgument,
    *,
    tree: TreeOption = None,
    sort: Annotated[
        str | None,
        typer.Option(
            metavar="BY", help="Sort by: confidence, weight, errors, lift, length, answer, name."
        ),
    ] = None,
    answer: Annotated[
        str | None, typer.Option(metavar="CLASS", help="Only rules that predict this.")
    ] = None,
    min_confidence: Annotated[
        float | None, typer.Option(min=0, max=1, help="Only rules with at least this confidence.")
    ] = None,
    min_weight: Annotated[
        float | None, typer.Option(min=0, help="Only rules with at least this training weight.")
    ] = None,
    to: Annotated[Format, typer.Option("--format", help="Output format.")] = "text",
    decimals: Annotated[
        int | None, typer.Option(min=0, help="Decimals of thresholds and means.")
    ] = None,
    missing: Annotated[
        bool | None,
        typer.Option(
            "--missing/--no-missing",
            help="Explain missing values in the text; default: if this is short.",
            show_default=False,
        ),
    ] = None,
    raw: Annotated[
        bool,
        typer.Option("--raw", help="Do not escape CSV cells that a spreadsheet reads as formulas."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write here; .json saves a rule model."),
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Print a saved model as rules, or save them as a model of their own."""
    import treewright as tw

    if out is not None:
        check_can_write(out, model)
    output = Output(quiet=quiet)
    with output.warnings_as_notes():
        fitted = load_model_or_tree(model, tree, output)
        if is_learned(fitted) and hasattr(fitted, "rules"):
            of_trees = {"sort": sort, "answer": answer, "min-confidence": min_confidence}
            check_flags_of_trees(fitted, {**of_trees, "min-weight": min_weight})
            form = "json" if as_json else to
            text = page_text(fitted.rules(), form)
            write_text(text, out, output, for_programs=form != "text")
            return
        found = tw.rules(fitted)
        wanted = filters_of(found, answer, min_confidence, min_weight)
        found = found.filter(**wanted) if wanted else found
        found = found.sort(sort) if sort else found
    if out is not None and out.suffix == ".json" and not as_json and to == "text":
        found.save(out)
        output.note(f"saved to {out}")
        return
    if to == "text" and not as_json:
        text = found.to_text(
            decimals=decimals, show_missing=tells_missing(found, output, wanted=missing)
        )
    else:
        text = written(found, "json" if as_json else to, decimals, raw=raw)
    write_text(text, out, output, for_programs=as_json or to != "text")


def page_text(page: Any, kind: str) -> str:
    """The rules of a model that is not a single tree, as a page in one of its formats."""
    if kind == "csv":
        raise ParameterError(
            "--format csv is for the rules of a tree", hint="use text, markdown, latex or json"
        )
    return str(getattr(page, f"to_{kind}")())


def tells_missing(found: Any, output: Output, *, wanted: bool | None) -> bool:
    """Whether footnotes explain missing values: as the user says, or if they are few."""
    n_footnotes = found.n_footnotes
    if wanted is None and n_footnotes > MOST_FOOTNOTES:
        output.note(f"--missing explains missing values, in {n_footnotes} footnotes")
        return False
    return wanted is not False


def filters_of(
    found: Any, answer: str | None, min_confidence: float | None, min_weight: float | None
) -> dict[str, Any]:
    """The conditions on rules that were given, as arguments of `RuleSet.filter`."""
    wanted = {"min_confidence": min_confidence, "min_weight": min_weight}
    given: dict[str, Any] = {name: value for name, value in wanted.items() if value is not None}
    if answer is not None:
        classes = found.known_classes or ()
        by_text = {str(label): label for label in classes}
        given["answer"] = by_text.get(answer, answer)
    return given


def written(found: Any, to: str, decimals: int | None, *, raw: bool) -> str:
    if to == "json":
        return str(found.to_json())
    if to == "csv":
        return str(found.to_csv(decimals=decimals, raw=raw))
    return str(getattr(found, f"to_{to}")(decimals=decimals))
