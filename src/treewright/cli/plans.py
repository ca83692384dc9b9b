"""The flags that say on which rows a model is judged."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.cli.tables import check_column
from treewright.errors import DataError

if TYPE_CHECKING:
    from treewright.data.table import Table

USUAL_FOLDS = 10


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """How rows are divided."""

    folds: Annotated[
        int | None,
        typer.Option(min=2, help=f"Folds of the cross-validation; {USUAL_FOLDS} unless given."),
    ] = None
    repeats: Annotated[int, typer.Option(min=1, help="How often the rows are dealt out anew.")] = 1
    hold_out: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Hold out this share, without folds.")
    ] = None
    groups: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Never divide rows that are equal in this column."),
    ] = None
    times: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Judge on rows that are later in this column."),
    ] = None
    stratified: Annotated[bool, typer.Option(help="Give every fold its share of each class.")] = (
        True
    )
    seed: Annotated[int, typer.Option(min=0, help="Seed of the splits.")] = 0
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Splits that run side by side; all cores unless given."),
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
                f"{flag}: column `{name}` has no value in {column.n_missing:,} rows, the first is"
                f" row {int(column.is_missing.argmax())}",
                hint="fill it in, or leave such rows out",
            )
        return column.to_numpy()

    def _moments(self, whole: "Table", source: str) -> Any:
        from treewright.evaluation.protocol import moments

        times = self._column(self.times, whole, source, "--times")
        return times if times is None else moments(times, f"column `{self.times}`")

    @property
    def own_columns(self) -> list[str]:
        """Columns that divide the rows, and are not learnt from."""
        return [name for name in (self.groups, self.times) if name is not None]
