"""Models whose pages are tried, and names that try to be more than names."""

from functools import cache
from typing import Any

import numpy as np

import treewright as tw
from treewright.data.column import NominalColumn, NumericColumn
from treewright.data.table import Table

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "</noscript><script>alert(1)</script>",
    "{{7*7}} {{data}} ${7*7}",
    "<!--<script>",
    "\"onmouseover='alert(1)'",
    "&lt;b&gt; &amp; \\u003c",
    "שלום עולם",
    "\u202eevil\u202c",
    "🦊漢字👨‍👩‍👧",
    "\u2028\x00\ud800",
    " ",
    "x" * 10_000,
    "__proto__",
    "javascript:alert(1)",
)


@cache
def hostile() -> tw.CARTClassifier:
    """A tree in which columns, levels and classes all have such names."""
    rng = np.random.default_rng(0)
    n_rows = 600
    codes = rng.integers(0, len(HOSTILE), size=n_rows).astype(np.int32)
    table = Table(
        [
            NominalColumn(HOSTILE[0], codes, HOSTILE),
            *(NumericColumn(name, rng.normal(size=n_rows).round(2)) for name in HOSTILE[1:]),
        ]
    )
    y = [HOSTILE[(code + (table.columns[3].values[at] > 0)) % 8] for at, code in enumerate(codes)]
    return tw.CARTClassifier(prune=None, max_depth=7).fit(table, y)


@cache
def five_thousand_leaves() -> tw.CARTClassifier:
    """Five classes, numbers and levels, grown to 5,000 leaves."""
    rng = np.random.default_rng(1)
    n_rows = 60_000
    numbers = rng.normal(size=(n_rows, 5)).round(3)
    levels = tuple(f"district {letter}" for letter in "ABCDEFGHIJ")
    codes = rng.integers(0, len(levels), size=n_rows).astype(np.int32)
    columns = [NumericColumn(f"measurement {at}", numbers[:, at]) for at in range(5)]
    table = Table([*columns, NominalColumn("district", codes, levels)])
    score = numbers[:, 0] + np.sin(3 * numbers[:, 1]) + 0.2 * codes + rng.normal(size=n_rows)
    y = np.array(["very low", "low", "middle", "high", "very high"])[
        np.digitize(score, [-1, 0.3, 1.2, 2.5])
    ]
    return tw.CARTClassifier(prune=None, max_leaf_nodes=5000).fit(table, y)


def iris() -> Any:
    X, y = tw.load_sample("iris")
    return tw.CARTClassifier(prune=None).fit(X, y)


def tennis() -> Any:
    X, y = tw.load_sample("tennis")
    return tw.ID3Classifier().fit(X, y)
