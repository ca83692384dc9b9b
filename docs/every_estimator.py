"""The directive `every-estimator`: the reference of all estimators in the registry."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from treewright.registry import ESTIMATORS


def entries() -> str:
    """One entry of the reference for each estimator."""
    return "\n".join(f".. autoclass:: treewright.{name}" for name in ESTIMATORS)


class EveryEstimator(SphinxDirective):
    """Parsed as if the entries stood on the page."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(entries())


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("every-estimator", EveryEstimator)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
