"""Rules from fitted models."""

from typing import TYPE_CHECKING, overload

from treewright.estimators.reading import Readable
from treewright.protocols import FittedModel
from treewright.single_trees.as_tree import rules_of_tree
from treewright.single_trees.reading import TreeReading
from treewright.single_trees.rule_set import RuleSet
from treewright.tree.tree import Tree

if TYPE_CHECKING:
    from treewright.documents.printed import Printed


@overload
def rules(model: TreeReading | Tree | RuleSet) -> RuleSet: ...
@overload
def rules(model: FittedModel) -> "RuleSet | Printed": ...
def rules(model: FittedModel | TreeReading | Tree) -> "RuleSet | Printed":
    """Return the rules of a fitted model, which predict every row as the model does.

    A tree has one rule for each leaf, from left to right. Conditions on one column are merged, and
    each states what happens to a missing value. A model that learns rules has its own; those of a
    model tree predict by equations.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.load_sample("golf")
    >>> for rule in tw.rules(tw.ID3Classifier().fit(X, y)):
    ...     print(rule)
    if outlook = Rainy and humidity = High then No (3)
    if outlook = Rainy and humidity = Normal then Yes (2)
    if outlook = Overcast then Yes (4)
    if outlook = Sunny and windy = FALSE then Yes (3)
    if outlook = Sunny and windy = TRUE then No (2)
    """
    if isinstance(model, RuleSet):
        return model
    if isinstance(model, Readable) and hasattr(model, "rules"):
        own: Printed = model.rules()
        return own
    learned = getattr(model, "rules_", None)
    if isinstance(learned, RuleSet):
        return learned
    return rules_of_tree(model)
