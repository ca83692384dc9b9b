"""What a fitted single tree offers: its text, picture, rules and explanations."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from treewright.data.table import Table
from treewright.errors import ParameterError
from treewright.estimators.one_tree import OneTreeReading
from treewright.estimators.rows import row_for_tree, rows_for_tree
from treewright.plain_text import plain
from treewright.single_trees.fitted import FittedTree, over_numbers
from treewright.tree.as_text import export_text
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.explanations.explanation import Explanation
    from treewright.explanations.path import Request
    from treewright.explanations.tree_sum import TreeSum
    from treewright.pictures.picture import Picture


class TreeReading(OneTreeReading[FittedTree]):
    """A mixin: one tree, which predicts and explains."""

    predicts_by_rules: ClassVar[bool] = False  # whether rules learned from the tree predict

    def predicting_tree(self) -> Tree:
        """The fitted tree as it predicts: with smoothed probabilities where the model smooths."""
        return self.state_.predicting_tree(self)

    def as_tree(self) -> Tree:
        """One tree that predicts every row of a table as the model does.

        Probabilities are smoothed where the model smooths them, and a column that was cut in
        advance is asked for its numbers.
        """
        state = self.state_
        tree = state.predicting_tree(self)
        return over_numbers(tree, state.schema, state.cut_points) if state.cuts_columns else tree

    def tree_sum(self, *, has_missing: bool = True) -> "TreeSum":
        """What Shapley values are shares of: the probabilities or the number of one tree."""
        from treewright.explanations.tree_sum import sum_of_tree

        if self.predicts_by_rules:
            raise ParameterError(
                f"a {type(self).__name__} predicts by rules, not by its tree",
                hint="the tree that the rules were made from is `tree_`",
            )
        return sum_of_tree(self.as_tree())

    def tree_rows(self, X: Any) -> Table:
        """The rows of X as the tree of `as_tree` knows its columns."""
        return rows_for_tree(self.as_tree(), X, self.categorical_features)

    def export_text(
        self,
        *,
        max_depth: int | None = None,
        decimals: int | None = None,
        show_weights: bool = True,
        exact: bool = False,
    ) -> str:
        """The tree as indented lines, after the notes on what was done to the data.

        Below `max_depth` nothing is shown; `decimals` rounds thresholds and means. Numbers are
        written as in the training table, and a column of 0 and 1 is `married = yes`. With `exact`
        they are plain numbers, and the column is `married > 0.5`, so that `tw.tree_from` can read
        the text.
        """
        tree = self.state_.shrunk_tree
        if exact:
            tree = replace(tree, schema=tree.schema.in_plain_numbers())
        text = export_text(
            tree,
            max_depth=max_depth,
            decimals=decimals,
            show_weights=show_weights,
            trained=self.state_.tree,
        )
        return "\n".join([*(f"# {plain(note)}" for note in self.state_.notes), text])

    def explain(
        self,
        row: Any,
        X: Any = None,
        y: Any = None,
        *,
        immutable: Collection[str] | str = (),
        directions: Mapping[str, str] | None = None,
        wanted: Any = None,
        tolerance: float | None = None,
        n_neighbors: int = 3,
        **changes: Any,
    ) -> "Explanation":
        """Explain the prediction for one row, and the smallest change that flips it.

        A model of rules names the rule that predicts the row, and says why no rule before it does.
        `explain(row, wind="Strong")` explains the row with another value of column `wind`, and
        reports the prediction without this change.

        Parameters
        ----------
        row
            One row: a dict, a list of values, a row of a data frame, or a table of one row.
        X, y
            Training rows, to show the nearest ones and to measure the spread of the columns.
        immutable
            Names of columns that must not change.
        directions
            Column name -> "up" or "down": the only direction in which it may change.
        wanted
            The prediction that the change should lead to: a class; for numbers "up", "down" or a
            pair such as (100, 200) or (100, None). None accepts any other prediction.
        tolerance
            For numbers: the difference up to which predictions count as equal. None uses the
            standard deviation of the tree's predictions.
        n_neighbors
            Number of nearest training rows to show.
        changes
            Other values for columns of the row, by name. For a column that has the name of an
            argument above, change the row itself.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = tw.load_sample("tennis")
        >>> found = tw.ID3Classifier().fit(X, y).explain(X[0:1], humidity="Normal")
        >>> found.prediction, found.what_if.before
        ('Yes', 'No')
        """
        from treewright.explanations.path import Request

        ways = {} if directions is None else directions
        request = Request(immutable, ways, wanted, tolerance, n_neighbors)
        return self._explained(row, request, X, y, changes)

    def _explained(
        self, row: Any, request: "Request", X: Any, y: Any, changes: Mapping[str, Any]
    ) -> "Explanation":
        from treewright.single_trees.explaining import TreeFacts, explain

        facts = TreeFacts(
            counts=None if self.state_.cuts_columns else self.state_.tree.value,
            # Of shrunk means, the variance of the rows says nothing.
            has_variance=vars(self).get("criterion") == "squared_error"
            and not self.state_.shrinkage,
            categorical_features=self.categorical_features,
        )
        return explain(self.as_tree(), row, request, facts, X=X, y=y, changes=changes)

    def draw(self, *, row: Any = None, **options: Any) -> "Picture":
        """A picture of the tree; the options are those of `treewright.draw`."""
        from treewright.pictures.tree_picture import tree_picture

        tree = self.as_tree()
        path = None if row is None else row_for_tree(tree, row, self.categorical_features)
        if options.get("target") is None:
            options["target"] = self.state_.target_name
        return tree_picture(tree, row=path, fitted=self.state_.tree, **options)
