"""Find-S: the most specific hypothesis that covers the positive examples."""

from typing import Any

from treewright.concepts.agreement import covered, specific_of
from treewright.concepts.base import ConceptLearner
from treewright.concepts.fitted import FittedFindS
from treewright.concepts.reading import FindSReading
from treewright.documents.printed import Printed
from treewright.estimators.declaration import set_by_fit
from treewright.estimators.fitted import frozen
from treewright.estimators.training import TrainingRows, warn_user


class FindS(FindSReading, ConceptLearner[FittedFindS]):
    """Find-S: the most specific conjunction of values that covers every positive example.

    Negative examples are ignored. If the hypothesis covers some of them, no conjunction separates
    the examples, and `fit` warns. A missing value matches only if the hypothesis accepts any value
    in its column.

    Attributes
    ----------
    hypothesis_
        The hypothesis as a dict from column to required value.
    specific_
        The same as category codes, -1 for any value.
    n_covered_negatives_
        Negative examples that the hypothesis covers by mistake.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("shapes")
    >>> model = tw.FindS().fit(X, y)
    >>> model.hypothesis_
    {'color': 'red', 'shape': 'circle'}
    """

    state_type = FittedFindS

    n_covered_negatives_: int = set_by_fit()

    def learn(self, rows: TrainingRows) -> FittedFindS:
        examples = self.examples_of(rows)
        specific = frozen(specific_of(examples.rows[examples.is_positive]))
        n_wrong = int(covered(specific, examples.rows[~examples.is_positive]).sum())
        if n_wrong:
            warn_user(
                f"FindS: {examples.language.text(specific.tolist())}, which the positive rows "
                f"need, covers {n_wrong} negative rows too: no conjunction separates them, but "
                "a tree may"
            )
        values = self.common_values(examples, specific)
        return FittedFindS(**values, n_covered_negatives=n_wrong)

    def worksheet(self, X: Any, y: Any, sample_weight: Any) -> Printed:
        from treewright.concepts.sheet import FindSSheet

        return FindSSheet.of(self, X, y, sample_weight)
