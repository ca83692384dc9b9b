"""Flags that several commands share, declared once as the fields of a dataclass.

A command takes the whole group as one argument; on the command line every field is a flag.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from treewright.cli.tables import check_column
from treewright.errors import DataError

if TYPE_CHECKING:
    from treewright.data.table import Table


Command = Callable[..., Any]


def with_groups(command: Command) -> Command:
    """`command` with the fields of its dataclass arguments as flags of their own."""
    own = inspect.signature(command).parameters
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hints[name] for name in own if is_dataclass(hints[name])}

    def run(**values: Any) -> Any:
        for name, kind in groups.items():
            given = {field.name: values.pop(field.name) for field in fields(kind)}
            values[name] = kind(**given)
        return command(**values)

    every: list[inspect.Parameter] = []
    for name, parameter in own.items():
        if name in groups:
            every += flags_of(groups[name])
        else:
            every.append(parameter.replace(annotation=hints[name]))
    return called_with(every, run, command)


def called_with(parameters: Sequence[inspect.Parameter], run: Command, command: Command) -> Command:
    """`run` as typer sees it: with these parameters, and the help of `command`."""
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__doc__ = command.__doc__
    return run


def flags_of(kind: Any) -> list[inspect.Parameter]:
    """The fields of a group as keyword arguments."""
    hints = get_type_hints(kind, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(kind)
    ]


USUAL_FOLDS = 10


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """How rows are split into training and test rows."""

    folds: Annotated[
        int | None,
        typer.Option(min=2, help=f"Number of cross-validation folds; default {USUAL_FOLDS}."),
    ] = None
    repeats: Annotated[
        int, typer.Option(min=1, help="How often the cross-validation is repeated.")
    ] = 1
    hold_out: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", help="Hold out this share of the rows instead of cross-validation."
        ),
    ] = None
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Keep rows with equal values of this column in one fold."
        ),
    ] = None
    times: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Test on rows that are later by this column."),
    ] = None
    stratified: Annotated[
        bool, typer.Option(help="Give every fold the same class proportions.")
    ] = True
    seed: Annotated[int, typer.Option(min=0, help="Seed of the splits.")] = 0
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Splits to run in parallel; default all cores."),
    ] = None

    def arguments(self, whole: "Table", source: str) -> dict[str, Any]:
        """Arguments of `treewright.evaluate`; groups and times are columns of `whole`."""
        return {
            "folds": USUAL_FOLDS if self.folds is None else self.folds,
            "repeats": self.repeats,
            "hold_out": self.hold_out,
            "groups": self._column(self.groups, whole, source, "--groups"),
            "times": self._moments(whole, source),
            "stratified": self.stratified,
            "random_state": self.seed,
            "n_jobs": self.jobs,
        }

    def _column(self, name: str | None, whole: "Table", source: str, flag: str) -> Any:
        if name is None:
            return None
        check_column(name, whole, source)
        column = whole[name]
        if column.n_missing:
            raise DataError(
                f"{flag}: column `{name}` is missing in {column.n_missing:,} rows, first in"
                f" row {int(column.is_missing.argmax())}",
                hint="fill in these values, or leave the rows out",
            )
        return column.to_numpy()

    def _moments(self, whole: "Table", source: str) -> Any:
        from treewright.evaluation.protocol import moments

        times = self._column(self.times, whole, source, "--times")
        return times if times is None else moments(times, f"column `{self.times}`")

    @property
    def own_columns(self) -> list[str]:
        """Columns that define the splits; they are not used as features."""
        return [name for name in (self.groups, self.times) if name is not None]
