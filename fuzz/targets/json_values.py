"""The readers of JSON values: schemas, trees, rules, parameters, reports, each on its own."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import treewright as tw
from treewright.data.schema import ColumnSpec, Schema
from treewright.induction.optimal.proof import OptimalityProof
from treewright.persistence.params import params_from_json, value_from_json
from treewright.persistence.values import TREE, VALUES, WORDS
from treewright.rulesets.rule_file import ordered_from_json
from treewright.single_trees.fitted import FittedTree, cuts_from_json
from treewright.single_trees.rule_set_file import rule_set_from_json
from treewright.tree.as_json import tree_from_json

SCHEMA = Schema((ColumnSpec("size", "numeric"), ColumnSpec("color", "nominal", ("red", "blue"))))


def read_rules(value: Any) -> object:
    return ordered_from_json(value, SCHEMA, ("no", "yes"), "missing")


def read_params(kind: Any) -> Callable[[Any], object]:
    return lambda value: params_from_json(value, kind.__name__)


READERS: tuple[Callable[[Any], object], ...] = (
    Schema.from_json,
    tree_from_json,
    lambda value: FittedTree.from_parts(value, {}),
    rule_set_from_json,
    read_rules,
    cuts_from_json,
    OptimalityProof.from_dict,
    lambda value: value_from_json(value, "value"),
    TREE.from_json,
    WORDS.from_json,
    VALUES.from_json,
    read_params(tw.CARTClassifier),
    read_params(tw.BoostedTreesClassifier),
    read_params(tw.RandomForestClassifier),
    read_params(tw.KMeans),
    read_params(tw.KNeighborsRegressor),
)


def check(data: bytes) -> None:
    """Every reader takes any JSON value, or says `ModelFileError`."""
    from treewright.persistence.file_text import parse

    with suppress(tw.ModelFileError):
        value = parse(data)
        for read in READERS:
            with suppress(tw.ModelFileError):
                read(value)
        json.dumps(value)
