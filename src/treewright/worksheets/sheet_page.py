"""What all parts of one worksheet need: the tree, the work, how numbers are written."""

from dataclasses import dataclass

from treewright.cached import cached_property
from treewright.induction.settings import GrowthSettings
from treewright.plain_text import plain
from treewright.tree.tree import Tree
from treewright.worksheets.digits import Digits
from treewright.worksheets.formulas import Formulas
from treewright.worksheets.node_works import NodeWorks
from treewright.worksheets.work import Group

MOST_CLASSES = 8  # with a column of their own
LONGEST_WORDS, LONGEST_CHOSEN = 90, 1200  # letters of a condition, and of one of the tree
LONGEST_NAME = 40  # letters of a column, level or class
SCORE_NAMES = {"gain_ratio": "gain ratio", "chi2": "chi-square"}


@dataclass(frozen=True, eq=False)
class SheetPage:
    """One worksheet as it is going to be printed."""

    tree: Tree
    settings: GrowthSettings
    nodes: NodeWorks
    digits: Digits
    measures: tuple[str, ...]

    @cached_property
    def formulas(self) -> Formulas:
        return Formulas(self.settings, self.digits)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        return tuple(plain(str(name)) for name in self.tree.classes or ())

    @property
    def score_name(self) -> str:
        """What columns are compared by."""
        criterion = self.settings.criterion
        return SCORE_NAMES.get(criterion, "gain") if isinstance(criterion, str) else "gain"

    def middle(self, group: Group) -> float:
        """What a group of numbers is measured from."""
        return group.mean if group.median != group.median else group.median

    def middle_name(self, group: Group) -> str:
        return "the mean" if group.median != group.median else "the median"

    def classes_of(self, group: Group) -> list[int]:
        """The classes that are shown of a group: all, or of many the heaviest."""
        if len(self.classes) <= MOST_CLASSES:
            return list(range(len(self.classes)))
        heaviest = sorted(range(len(self.classes)), key=lambda at: -group.counts[at])
        return sorted(heaviest[: MOST_CLASSES - 1])


def shortened(words: str, longest: int = LONGEST_WORDS) -> str:
    """Words of bearable length: of longer ones the beginning.

    >>> shortened("color in {red, green, blue, yellow, black, white}", 30)
    'color in {red, green, blue ...'
    """
    if len(words) <= longest:
        return words
    end = longest - 4
    between = words.rfind(" ", end // 2, end + 1)
    if words[end].isalnum() and between > 0:  # not within a word
        end = between
    return f"{words[:end].rstrip()} ..."


def condition_of(column: str, condition: str, longest: int = LONGEST_WORDS) -> str:
    """A condition on a column, both of bearable length."""
    name = plain(column)
    if condition.startswith(name):
        condition = shortened(name, LONGEST_NAME) + condition[len(name) :]
    return shortened(condition, longest)
