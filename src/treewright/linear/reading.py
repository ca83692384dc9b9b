"""What a fitted linear model offers: its equation, descent and explanations."""

from typing import TYPE_CHECKING, Any, TypeVar

from treewright.estimators.reading import OtherModel, Readable
from treewright.estimators.rows import changed_row
from treewright.linear.descent import DescentTrace
from treewright.linear.fitted import FittedLinear
from treewright.linear.terms import equation_text

if TYPE_CHECKING:
    from treewright.documents.printed import Printed

State = TypeVar("State", bound=FittedLinear)


class LinearReading(OtherModel, Readable[State]):
    """A mixin: coefficients times terms."""

    solver: str
    method: str

    @property
    def is_direct(self) -> bool:
        return self.solver != "gradient_descent"

    @property
    def term_names_(self) -> tuple[str, ...]:
        """Name of each term: a column, or a category of one."""
        return self.state_.terms.names

    @property
    def trace_(self) -> DescentTrace:
        """Cost, gradient size, learning rate and coefficients of the recorded steps."""
        state = self.state_
        return DescentTrace(
            state.trace_costs,
            state.trace_slopes,
            state.trace_rates,
            state.trace_steps,
            state.trace_points[:, :, 0],
            state.trace_points[:, :, 1:],
        )

    def equation(self, *, digits: int = 4) -> str:
        """The model as one equation per output; `digits` rounds the numbers."""
        state = self.state_
        intercepts, coefficients = state.by_output
        lines = [
            equation_text(left, float(intercept), of_terms, state.terms.factors, digits)
            for left, intercept, of_terms in zip(
                state.left_sides, intercepts, coefficients, strict=True
            )
        ]
        return "\n".join(lines)

    def summary(self) -> str:
        """A summary of the descent, and the equation."""
        state = self.state_
        way = self.solver if self.is_direct else f"{self.method} gradient descent"
        unit = "epoch" if self.method != "batch" and not self.is_direct else "step"
        end = "" if state.converged else ", not converged"
        steps = f"{state.n_iter} {unit}{'' if state.n_iter == 1 else 's'}"
        head = f"{type(self).__name__}: {way}, {steps}{end}, cost {state.cost:.6g}"
        return f"{head}\n{self.equation()}"

    def explain(self, row: Any, **changes: Any) -> "Printed":
        """Contribution of each term to the prediction for one row.

        The row is a dict, a list of values, a row of a data frame, or a table of one row. `changes`
        are other values for some of its columns, by name: what would be predicted then?
        """
        from treewright.linear.row_terms import row_terms

        return row_terms(self, changed_row(row, self.schema_, changes))
