"""`treewright rules`: a saved model as rules."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from treewright.cli.output import (
    JsonOption,
    Output,
    QuietOption,
    as_json_text,
    check_can_write,
    write_text,
)
from treewright.cli.saved import ModelArgument, load_model

Format = Literal["text", "markdown", "latex", "csv", "json"]


def rules(
    model: ModelArgument,
    *,
    sort: Annotated[
        str | None,
        typer.Option(metavar="BY", help="Order: confidence, weight, errors, lift, length."),
    ] = None,
    answer: Annotated[
        str | None, typer.Option(metavar="CLASS", help="Only rules that answer so.")
    ] = None,
    min_confidence: Annotated[
        float | None, typer.Option(min=0, max=1, help="Only rules at least so sure.")
    ] = None,
    min_weight: Annotated[
        float | None, typer.Option(min=0, help="Only rules with so much training weight.")
    ] = None,
    to: Annotated[Format, typer.Option("--format", help="How rules are written.")] = "text",
    decimals: Annotated[
        int | None, typer.Option(min=0, help="Decimals of thresholds and means.")
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Leave CSV cells that spreadsheets take for formulas.")
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
        check_can_write(out)
    output = Output(quiet=quiet)
    with output.warnings_as_notes():
        found = tw.rules(load_model(model, output))
        wanted = filters_of(found, answer, min_confidence, min_weight)
        found = found.filter(**wanted) if wanted else found
        found = found.sort(sort) if sort else found
    if out is not None and out.suffix == ".json" and not as_json and to == "text":
        found.save(out)
        output.note(f"saved to {out}")
        return
    text = written(found, "json" if as_json else to, decimals, raw=raw)
    write_text(text, out, output)


def filters_of(
    found: Any, answer: str | None, min_confidence: float | None, min_weight: float | None
) -> dict[str, Any]:
    """The conditions on rules that were given, as arguments of `RuleSet.filter`."""
    wanted = {"min_confidence": min_confidence, "min_weight": min_weight}
    given: dict[str, Any] = {name: value for name, value in wanted.items() if value is not None}
    if answer is not None:
        classes = found._known_classes or ()
        by_text = {str(label): label for label in classes}
        given["answer"] = by_text.get(answer, answer)
    return given


def written(found: Any, to: str, decimals: int | None, *, raw: bool) -> str:
    if to == "json":
        return as_json_text(json.loads(found.to_json()))
    if to == "csv":
        return str(found.to_csv(decimals=decimals, raw=raw))
    return str(getattr(found, f"to_{to}")(decimals=decimals))
