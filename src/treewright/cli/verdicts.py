"""The verdict on a trained model, and warnings about its table, for all commands."""

import shlex
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli.groups import flag
from treewright.cli.output import Output
from treewright.cli.progress import progress_bar
from treewright.cli.streams import print_warning
from treewright.errors import TreewrightError

if TYPE_CHECKING:
    from treewright.cli.learning import LearningRows
    from treewright.data.leaks import TableWarning
    from treewright.evaluation.evaluation import Evaluation
    from treewright.evaluation.verdict import Verdict
    from treewright.reports.report import Report

QUICK = 30.0  # seconds that a verdict may take by cross-validation
HELD_OUT = 0.2  # share of the rows that a slower one is made with
OF_EVALUATE = ("--times", "--groups")  # flags that `train` does not have

StrictOption = Annotated[bool, flag("Exit with code 1 if there are warnings.", "--strict")]
VerdictOption = Annotated[
    bool, flag("Compare the model with guessing, on held-out rows.", "--verdict/--no-verdict")
]


def timed_fit(
    rows: "LearningRows", estimator: Any, output: Output
) -> "tuple[tuple[Any, LearningRows], float]":
    """The fitted model with its rows, and the seconds that the fit took."""
    warnings.filterwarnings("ignore", message=".* as numbers: new rows")  # `train` names flags
    start = perf_counter()
    shows_progress = not output.quiet and "verbose" in estimator.get_params()
    if shows_progress:
        estimator.set_params(verbose=True)
    fitted = rows.fit(estimator)
    seconds = perf_counter() - start
    return (fitted.set_params(verbose=False) if shows_progress else fitted, rows), seconds


@dataclass(frozen=True, slots=True)
class TrainedVerdict:
    """How a trained model compares with guessing, and what is wrong with its table."""

    evaluation: "Evaluation | None" = None
    warnings: "tuple[TableWarning, ...]" = ()
    reason: str = ""  # why there is no evaluation

    @property
    def verdict(self) -> "Verdict | None":
        return None if self.evaluation is None else self.evaluation.verdict

    @property
    def text(self) -> str:
        """The sentence that `train` prints; "" without a verdict."""
        if self.evaluation is None:
            return f"no verdict: {self.reason}" if self.reason else ""
        return f"{self.evaluation.verdict} ({self.evaluation.scheme})"

    def to_dict(self) -> dict[str, Any]:
        """Verdict and warnings as JSON."""
        from treewright.result import plain_values

        verdict = self.verdict
        return {
            "verdict": None if verdict is None else verdict.to_dict(),
            "warnings": plain_values(self.warnings),
        }


def trained_verdict(
    fitted: Any,
    rows: "LearningRows",
    output: Output,
    *,
    seconds: float | None,
    page: "Report | None" = None,
) -> TrainedVerdict:
    """The verdict by folds, or by held-out rows if folds are slow; a report has one already.

    `seconds` is what the fit took; None for no verdict, only warnings about the table.
    """
    if not rows.target:
        return TrainedVerdict()
    from treewright.evaluation.cautions import baseline_warning, table_warnings

    found, reason = None, ""
    with output.warnings_hidden():
        if page is not None and page.facts.is_resampled:
            found = page.facts.evaluation
        elif seconds is not None:
            found, reason = evaluated(fitted, rows, seconds, output)
        if found is None:
            leaks = table_warnings(fitted, rows.table, rows.y, rows.weights)
        else:
            leaks = (*found.warnings, *baseline_warning(found.verdict))
    return TrainedVerdict(found, (*worded(leaks, fitted, rows),), reason)


def evaluated(
    fitted: Any, rows: "LearningRows", seconds: float, output: Output
) -> "tuple[Evaluation | None, str]":
    """Copies of the model on held-out rows, or why that is not possible."""
    import treewright as tw

    with progress_bar("verdict", quiet=output.quiet) as progress:
        try:
            division = division_for(rows.table.n_rows, seconds)
            data = rows.table, rows.y, rows.weights
            return tw.evaluate(fitted, *data, **division, progress=progress), ""
        except TreewrightError as error:  # folds may be too small for what all rows allow
            return None, str(error.args[0])


def division_for(n_rows: int, seconds: float) -> dict[str, Any]:
    """Folds if they are quick, by the seconds that one fit took; else a share to hold out.

    >>> division_for(400, 0.1), division_for(400, 5.0)
    ({'folds': 10}, {'hold_out': 0.2})
    """
    from treewright.evaluation.protocol import usual_folds

    folds = usual_folds(n_rows)
    return {"folds": folds} if folds * seconds <= QUICK else {"hold_out": HELD_OUT}


def worded(
    leaks: "Iterable[TableWarning]", fitted: Any, rows: "LearningRows"
) -> "Iterable[TableWarning]":
    """The warnings with flags that the user can give: `evaluate` has those for folds."""
    from dataclasses import replace

    from treewright.data.leaks import raw_date_warning
    from treewright.estimators.training import raw_dates_of

    raw = raw_dates_of(fitted)
    command = shlex.join(["treewright", "evaluate", rows.source, "--target", rows.target])
    others = [one for one in leaks if not (one.subject == "date" and one.column in raw)]
    for one in (*map(raw_date_warning, raw), *others):
        if one.flag.startswith(OF_EVALUATE):
            yield replace(one, flag=f"`{command} {one.flag}`")
        else:
            yield one


def finish(found: "Iterable[TableWarning]", output: Output, *, strict: bool) -> None:
    """Print the warnings; with --strict they end the command with exit code 1.

    The verdict is printed as part of the result, so it is a warning only with --strict.
    """
    shown = [one for one in found if strict or not (output.quiet or one.subject == "baseline")]
    for text in dict.fromkeys(one.for_command for one in shown):
        print_warning(text)
    if strict and shown:
        raise typer.Exit(1)
