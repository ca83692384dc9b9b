"""Models that `tw.prune` pruned after their fit: what was done, so that copies can follow."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from treewright.models.base import TreeEstimator
from treewright.models.growing import pruning_plan, rows_to_regrow
from treewright.models.pruned import encoded_rows
from treewright.pruning.method import Method
from treewright.pruning.methods import method_named, prune_tree
from treewright.pruning.report import PruningReport

OF_FOLDS = "folds"  # of cost-complexity pruning: told only where the price was found by them


@dataclass(frozen=True, slots=True)
class LaterPruning:
    """A pruning that the settings of a model do not ask for."""

    method: Method
    options: Mapping[str, Any]  # those that `tw.prune` would be given

    @property
    def needs(self) -> str:
        return self.method.needs(self.method.checked(self.options))

    @property
    def can_be_repeated(self) -> bool:
        """Whether the rows of a fit are enough for it; rows held back for it are not at hand."""
        return self.needs != "validation rows"

    def of(self, fitted: TreeEstimator, X: Any, y: Any, sample_weight: Any) -> TreeEstimator:
        """A model that was fitted to these rows, pruned in the same way."""
        rows = None
        if self.needs == "training rows":
            rows = rows_to_regrow(fitted, encoded_rows(fitted, X, y, sample_weight))
        pruned = prune_tree(fitted.tree_, self.method, rows, self.options)
        return fitted.with_tree(pruned.tree, pruned.report)

    def __str__(self) -> str:
        return self.method.name


def later_pruning(model: object) -> LaterPruning | None:
    """What `tw.prune` did to a model; None if all its pruning is in its settings.

    >>> import treewright as tw
    >>> X, y = tw.load_sample("iris")
    >>> model = tw.C45Classifier().fit(X, y)
    >>> later_pruning(model) is None
    True
    >>> str(later_pruning(tw.prune(model, "pessimistic")))
    'pessimistic'
    """
    report = getattr(model, "pruning_", None)
    if not isinstance(model, TreeEstimator) or report is None:
        return None
    plan = pruning_plan(model)
    if plan is not None and plan.method.name == report.method and is_as_asked(plan.options, report):
        return None
    options = dict(report.options)
    if OF_FOLDS in options:  # then the price is what they found, not what was asked for
        del options["alpha"]
    return LaterPruning(method_named(report.method), options)


def is_as_asked(asked: Mapping[str, Any], report: PruningReport) -> bool:
    """Whether a pruning used the options asked for; folds may be fewer on few rows."""
    found = {"risk"}  # where None is asked for
    if OF_FOLDS in report.options or report.n_cuts == 0:
        found.add("alpha")
    return all(
        asked[name] == used or (asked[name] is None and name in found)
        for name, used in report.options.items()
        if name != OF_FOLDS
    )
