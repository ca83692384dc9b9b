"""What a clustering has found, in a few lines."""

from typing import TYPE_CHECKING

import numpy as np

from treewright.clustering.cells import centre_text
from treewright.data.table_text import aligned
from treewright.plain_text import plain

if TYPE_CHECKING:
    from treewright.clustering.base import ClusterEstimator

MOST_COLUMNS = 8
MOST_CLUSTERS = 30


def summary_text(model: "ClusterEstimator") -> str:
    """One line about all, then the rows and the centre of each cluster."""
    n_clusters = len(model.cluster_centers_)
    counts = np.bincount(model.labels_, minlength=n_clusters)
    words = "rounds" if model.n_iter_ != 1 else "round"
    title = (
        f"{type(model).__name__}: {n_clusters} cluster{'s' if n_clusters != 1 else ''} of "
        f"{len(model.labels_)} rows, {model.n_iter_} {words}, inertia {model.inertia_:g}"
    )
    centres = model.cluster_centers_[:MOST_CLUSTERS]
    shown = model.schema_.columns[:MOST_COLUMNS]
    n_lines = len(centres)
    cells = [
        ["cluster", *map(str, range(n_lines))],
        ["rows", *map(str, counts[:n_lines].tolist())],
        *(
            [spec.name, *[centre_text(spec, number) for number in centres[:, at].tolist()]]
            for at, spec in enumerate(shown)
        ),
    ]
    to_right = [True, True, *(spec.is_numeric for spec in shown)]
    lines = [title, *aligned(cells, to_right)]
    if n_lines < n_clusters:
        lines.append(f"  ... {n_clusters - n_lines} more clusters")
    if len(shown) < model.n_features_in_:
        lines.append(f"  ... {model.n_features_in_ - len(shown)} more columns")
    return "\n".join([*lines, *(f"note: {plain(note)}" for note in model.notes_)])
