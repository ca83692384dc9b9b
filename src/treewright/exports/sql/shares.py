"""Rows that several leaves answer, each for a share: sums in the order of the model.

A row whose value is missing at a node may go down several branches at once. Every leaf has the
product of the shares on the way to it, and the answer is the sum of share times answer, from the
leftmost leaf to the rightmost. Floating point sums depend on their order, and so may ties; here
the order is the model's, in chunks: a stage computes the shares of some leaves and adds those of
the stage before to the sums.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from treewright.cached import cached_property
from treewright.errors import ExportError
from treewright.exports.program import Program
from treewright.exports.sql.dialects.base import Dialect
from treewright.exports.sql.routes import ITSELF, SHARED, Route, case

LEAVES_A_STAGE = 100
LEAVES_A_HANDLE = 25  # as few leaves have one product for the way to the node above them all
MOST_FACTORS = 500  # of one product: the depth of the tree
FEW_WAYS = 10  # out of a node: with more, where a row goes has a column of its own
MOST_NUMBERED = 200  # such columns, for the widest nodes


@dataclass(slots=True)
class Chunk:
    """Columns as (node, expression): the shares of some leaves, from left to right.

    Where a tree is large, leaves continue the product of a handle, a node above them that a stage
    before has dealt with: most rows do not come there, so most products are not looked at.
    """

    handles: list[tuple[int, str]] = field(default_factory=list)
    leaves: list[tuple[int, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Shares:
    """The leaves of a tree that shares rows, as expressions of one dialect."""

    program: Program
    dialect: Dialect
    routes: dict[int, Route]
    prefix: str
    is_shared: str  # a condition that holds for rows which several leaves answer

    def __post_init__(self) -> None:
        depth = self.program.tree.depth
        if depth > MOST_FACTORS:
            raise ExportError(
                f"a row with a missing value is shared by the leaves of a tree {depth} levels "
                f"deep; SQL products are written for {MOST_FACTORS} levels at most",
                hint="prune the tree, or limit it with to_depth",
            )

    def chunks(self) -> list[Chunk]:
        """All that may answer, from left to right."""
        chunks = [Chunk()]
        for group in self.groups():
            if len(chunks[-1].leaves) + len(group.leaves) > LEAVES_A_STAGE:
                chunks.append(Chunk())
            chunks[-1].handles += group.handles
            chunks[-1].leaves += group.leaves
        return chunks

    def groups(self) -> Iterator[Chunk]:
        """The leaves below each handle, and leaves that have none."""
        n_answering = self.count_answering()
        stack: list[tuple[int, tuple[str, ...]]] = [(0, ())]
        while stack:
            node, factors = stack.pop()
            if self.program.step(node) is None:
                yield Chunk([], [(node, self.if_shared(factors))])
            elif n_answering[node] <= LEAVES_A_HANDLE:
                yield self.group_below(node, factors)
            else:
                own = self.own_factor(node)
                if own is not None:
                    yield Chunk([], [(node, self.if_shared((*factors, own)))])
                stack += [(child, (*factors, factor)) for child, factor in self.children(node)]

    def group_below(self, handle: int, factors: tuple[str, ...]) -> Chunk:
        """The leaves below a node; the root itself needs no handle."""
        column, nothing = self.handle(handle), self.dialect.number(0.0)
        group = Chunk([(handle, self.if_shared(factors))] if factors else [])
        stack: list[tuple[int, tuple[str, ...]]] = [(handle, (column,) if factors else ())]

        def add(node: int, product: tuple[str, ...]) -> None:
            continued = f"CASE WHEN {column} > 0 THEN {' * '.join(product)} ELSE {nothing} END"
            group.leaves.append((node, continued if factors else self.if_shared(product)))

        while stack:
            node, product = stack.pop()
            if self.program.step(node) is None:
                add(node, product)
                continue
            own = self.own_factor(node)
            if own is not None:
                add(node, (*product, own))
            stack += [(child, (*product, factor)) for child, factor in self.children(node)]
        return group

    def if_shared(self, factors: tuple[str, ...]) -> str:
        return f"CASE WHEN {self.is_shared} THEN {' * '.join(factors)} END"

    def count_answering(self) -> list[int]:
        """How many nodes may answer at or below each."""
        counts = [0] * self.program.tree.n_nodes
        parent = self.program.tree.parent.tolist()
        for node in range(len(counts) - 1, -1, -1):
            is_answering = node not in self.routes or self.routes[node].otherwise == ITSELF
            counts[node] += is_answering
            if node:
                counts[parent[node]] += counts[node]
        return counts

    @cached_property
    def wide(self) -> dict[int, str]:
        """Wide nodes, and the columns that hold the child a row goes to from there.

        Without these, the factor of every child would list the levels of all of them.
        """
        n_ways = {node: len(route.ways) for node, route in self.routes.items()}
        wide = [node for node, count in n_ways.items() if count > FEW_WAYS]
        widest = sorted(wide, key=lambda node: -n_ways[node])[:MOST_NUMBERED]
        return {node: f"{self.prefix}route_{node}" for node in sorted(widest)}

    def numbers(self) -> Iterator[tuple[str, str]]:
        """(expression, name) of the columns of wide nodes."""
        for node, name in self.wide.items():
            yield self.routes[node].number(), name

    def own_factor(self, node: int) -> str | None:
        """1 for rows that the node itself answers; None if there are none."""
        if self.routes[node].otherwise != ITSELF:
            return None
        return self.factor(node, {ITSELF: self.dialect.number(1.0)})

    def children(self, node: int) -> Iterator[tuple[int, str]]:
        """(child, the share of the row that goes there), the rightmost first."""
        step = self.program.step(node)
        assert step is not None
        share_of = dict(step.missing) if step.splits_rows else {}
        for child in reversed(step.children):
            shared = self.dialect.number(share_of.get(child, 0.0))
            yield child, self.factor(node, {child: self.dialect.number(1.0), SHARED: shared})

    def factor(self, node: int, outcome: dict[int, str]) -> str:
        """What a share is multiplied by on each way out of a node; zero on those not listed."""
        nothing = self.dialect.number(0.0)
        number = self.wide.get(node)
        if number is None:
            return self.routes[node].choose(outcome, nothing)
        return case([(f"{number} = {way}", text) for way, text in outcome.items()], nothing)

    def share(self, node: int) -> str:
        """The column that holds the share of a node."""
        return f"{self.prefix}share_{node}"

    def handle(self, node: int) -> str:
        """The column that holds the product of the way to a handle."""
        return f"{self.prefix}handle_{node}"

    def sum_column(self, value: int) -> str:
        """The column that holds the sum of one class, or of the number."""
        return f"{self.prefix}sum_{value}"

    def stages(self) -> Iterator[tuple[list[tuple[str, str]], list[str]]]:
        """The columns that each stage computes, and those it drops.

        A stage deals with three chunks: it adds up the leaves of one, continues the products of
        the next, and begins those of the one after it.
        """
        empty, chunks = Chunk(), self.chunks()
        before = [empty, empty] if any(chunk.handles for chunk in chunks) else [empty]
        chunks = [*before, *chunks, empty, empty]
        for at in range(len(chunks) - 2):
            added, continued, begun = chunks[at : at + 3]
            new = list(self.next_sums(added) if at else self.first_sums())
            new += [(text, self.share(node)) for node, text in continued.leaves]
            new += [(text, self.handle(node)) for node, text in begun.handles]
            dropped = [self.share(node) for node, _ in added.leaves]
            yield new, dropped + [self.handle(node) for node, _ in continued.handles]

    def first_sums(self) -> Iterator[tuple[str, str]]:
        nothing = self.dialect.number(0.0)
        for value in range(self.program.answers.shape[1]):
            yield f"CASE WHEN {self.is_shared} THEN {nothing} END", self.sum_column(value)

    def next_sums(self, chunk: Chunk) -> Iterator[tuple[str, str]]:
        """The sums with a chunk's answers added, one after the other; nothing if there are none."""
        answers = self.program.answers
        for value in range(answers.shape[1]) if chunk.leaves else ():
            terms = [self.sum_column(value)]
            for node, _ in chunk.leaves:
                answer = float(answers[node, value])
                if answer != 0:  # zero adds nothing
                    terms.append(f"{self.share(node)} * {self.dialect.number(answer)}")
            yield " + ".join(terms), self.sum_column(value)
