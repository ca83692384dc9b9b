"""A cost-complexity path in words: the table that R's `printcp` shows."""

from treewright.pruning.cost_complexity_path import CostComplexityPath

MOST_SHOWN = 40


def path_text(path: CostComplexityPath) -> str:
    """The table, the root first; in the middle of a long path, lines are left out."""
    head = ["cp", "alpha", "splits", "leaves", "relative risk"]
    if path.held_out is not None:
        head += ["held out", "+-"]
    steps = list(range(len(path)))[::-1]
    shown = steps if len(steps) <= MOST_SHOWN else steps[: MOST_SHOWN // 2] + steps[-10:]
    cells = [head, *(line_of(path, step) for step in shown)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        for line in cells
    ]
    if len(shown) < len(steps):
        lines.insert(1 + MOST_SHOWN // 2, f"... {len(steps) - len(shown)} more")
    noun = "subtree" if len(path) == 1 else "subtrees"
    return "\n".join([f"{len(path)} {noun} by {path.risk}", *lines])


def line_of(path: CostComplexityPath, step: int) -> list[str]:
    line = [
        f"{path.cps[step]:.6f}",
        f"{path.alphas[step]:.6g}",
        str(path.n_splits[step]),
        str(path.n_leaves[step]),
        f"{path.relative_risks[step]:.5f}",
    ]
    held_out = path.held_out
    if held_out is not None:
        unit = held_out.root if held_out.root > 0 else 1.0
        line.append(f"{held_out.risks[step] / unit:.5f}")
        line.append(f"{held_out.standard_errors[step] / unit:.5f}")
    return line
