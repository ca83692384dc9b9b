"""The page: how it begins, and its sections from the tree to the settings."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from treewright.documents.page import Block, Contents, Document, Heading
from treewright.ensembles.base import Ensemble
from treewright.estimators.base import OtherModel
from treewright.models.base import TreeEstimator
from treewright.reports.facts import ReportFacts
from treewright.reports.judgement import judgement_section
from treewright.reports.model_section import first_steps_section, model_section
from treewright.reports.opening import opening
from treewright.reports.rule_section import rule_section
from treewright.reports.settings_section import settings_section
from treewright.reports.table_section import columns_section
from treewright.reports.tree_sections import (
    calculation_section,
    importance_section,
    tree_section,
)
from treewright.reports.trees_section import trees_section
from treewright.reports.words import short_name


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page, and whether there is anything to say in it."""

    title: str
    blocks: Callable[[ReportFacts], Iterator[Block]]
    is_wanted: Callable[[ReportFacts], bool] = lambda facts: True

    @property
    def heading(self) -> Heading:
        """Its anchor is what Markdown makes of its title, too."""
        return Heading(2, self.title, self.title.lower().replace(" ", "-"))


def is_ensemble(facts: ReportFacts) -> bool:
    return isinstance(facts.model, Ensemble)


def is_one_tree(facts: ReportFacts) -> bool:
    return isinstance(facts.model, TreeEstimator)


def is_no_tree(facts: ReportFacts) -> bool:
    return isinstance(facts.model, OtherModel)


def answers_by_a_tree(facts: ReportFacts) -> bool:
    return is_one_tree(facts) and not facts.tree_model.answers_by_rules


def has_splits(facts: ReportFacts) -> bool:
    if isinstance(facts.model, Ensemble):
        return facts.model.get_n_leaves() > len(facts.model.trees_)
    return is_one_tree(facts) and facts.tree_model.tree_.n_leaves > 1


def has_rules(facts: ReportFacts) -> bool:
    return is_one_tree(facts) and has_splits(facts)


def knows_importances(facts: ReportFacts) -> bool:
    """Numbers near the largest that there are have none."""
    model = facts.model
    if isinstance(model, OtherModel) or not has_splits(facts):
        return False
    return bool(np.isfinite(model.feature_importances_).all())


def begins_here(facts: ReportFacts) -> bool:
    """Whether a model that is no tree can be worked out again from the rows."""
    return is_no_tree(facts) and facts.learnt_here


def has_worksheet(facts: ReportFacts) -> bool:
    return facts.worksheet is not None


SECTIONS = (
    Section("The tree", tree_section, answers_by_a_tree),
    Section("The trees", trees_section, is_ensemble),
    Section("The model", model_section, is_no_tree),
    Section("How good it is", judgement_section),
    Section("Which columns matter", importance_section, knows_importances),
    Section("Rules", rule_section, has_rules),
    Section("Columns", columns_section),
    Section("The calculation at the top", calculation_section, has_worksheet),
    Section("The calculation", first_steps_section, begins_here),
    Section("Settings and versions", settings_section),
)


def report_document(facts: ReportFacts) -> Document:
    """The opening, the contents, and the sections that have something to say."""
    wanted = [section for section in SECTIONS if section.is_wanted(facts)]
    blocks: list[Block] = [Contents(tuple(section.heading for section in wanted))]
    blocks += opening(facts)
    for section in wanted:
        blocks += [section.heading, *section.blocks(facts)]
    return Document(title_of(facts), tuple(blocks))


def title_of(facts: ReportFacts) -> str:
    """What the page is called."""
    default = f"Report: {short_name(facts.target)} by {type(facts.model).__name__}"
    return facts.words.title or default
