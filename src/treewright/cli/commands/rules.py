"""`treewright rules`: print a saved model as rules."""

from pathlib import Path
from typing import Annotated, Any, Literal

from treewright.cli.fitted_models import check_flags_of_trees, is_other_model
from treewright.cli.groups import flag, out_flag
from treewright.cli.output import Output, check_files, write_text
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
        flag("Sort by: confidence, weight, errors, lift, length, prediction, name.", "BY"),
    ] = None,
    prediction: Annotated[str | None, flag("Only rules that predict this.", "CLASS")] = None,
    min_confidence: Annotated[
        float | None, flag("Only rules with at least this confidence.", min=0, max=1)
    ] = None,
    min_weight: Annotated[
        float | None, flag("Only rules with at least this training weight.", min=0)
    ] = None,
    to: Annotated[Format, flag("Output format.", "--format")] = "text",
    decimals: Annotated[int | None, flag("Decimals of thresholds and means.", min=0)] = None,
    missing: Annotated[
        bool | None,
        flag(
            "Explain missing values in the text; default: if this is short.",
            "--missing/--no-missing",
            show_default=False,
        ),
    ] = None,
    raw: Annotated[
        bool, flag("Do not escape CSV cells that a spreadsheet reads as formulas.", "--raw")
    ] = False,
    out: Annotated[Path | None, out_flag("Write here; .json saves a rule model.")] = None,
    output: Output,
) -> None:
    """Print a saved model as rules, or save them as a model of their own."""
    import treewright as tw

    check_files([out], [model])
    form = "json" if output.as_json else to
    with output.warnings_as_notes():
        fitted = load_model_or_tree(model, tree, output)
        if is_other_model(fitted) and hasattr(fitted, "rules"):
            of_trees = {"sort": sort, "prediction": prediction, "min-confidence": min_confidence}
            check_flags_of_trees(fitted, {**of_trees, "min-weight": min_weight})
            if form == "csv":
                raise ParameterError(
                    "--format csv is for the rules of a tree",
                    hint="use text, markdown, latex or json",
                )
            text = str(getattr(fitted.rules(), f"to_{form}")())
            write_text(text, out, output, for_programs=form != "text")
            return
        found = tw.rules(fitted)
        wanted = filters_of(found, prediction, min_confidence, min_weight)
        found = found.filter(**wanted) if wanted else found
        found = found.sort(sort) if sort else found
    if form != "text":
        text = written(found, form, decimals, raw=raw)
    elif out is not None and out.suffix == ".json":
        found.save(out)
        output.note(f"saved to {out}")
        return
    else:
        show_missing = explains_missing(found, output, wanted=missing)
        text = found.to_text(decimals=decimals, show_missing=show_missing)
    write_text(text, out, output, for_programs=form != "text")


def explains_missing(found: Any, output: Output, *, wanted: bool | None) -> bool:
    """Whether footnotes explain missing values: as the user says, or if they are few."""
    n_footnotes = found.n_footnotes
    if wanted is None and n_footnotes > MOST_FOOTNOTES:
        output.note(f"--missing explains missing values, in {n_footnotes} footnotes")
        return False
    return wanted is not False


def filters_of(
    found: Any, prediction: str | None, min_confidence: float | None, min_weight: float | None
) -> dict[str, Any]:
    """The conditions on rules that were given, as arguments of `RuleSet.filter`."""
    wanted = {"min_confidence": min_confidence, "min_weight": min_weight}
    given: dict[str, Any] = {name: value for name, value in wanted.items() if value is not None}
    if prediction is not None:
        by_text = {str(label): label for label in found.known_classes or ()}
        given["prediction"] = by_text.get(prediction, prediction)
    return given


def written(found: Any, to: str, decimals: int | None, *, raw: bool) -> str:
    if to == "json":
        return str(found.to_json())
    if to == "csv":
        return str(found.to_csv(decimals=decimals, raw=raw))
    return str(getattr(found, f"to_{to}")(decimals=decimals))
