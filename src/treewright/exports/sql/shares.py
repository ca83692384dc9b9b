"""Rows that go to several leaves, a share to each: sums in the order of the model.

A row whose value is missing at a node may go down several branches at once. The share of a leaf is
the product of the shares on the way to it. The prediction is the sum of share times value, from
the leftmost leaf to the rightmost. Floating-point sums depend on the order, so the order here is
the model's, in chunks: a stage computes the shares of some leaves and adds those of the stage
before to the sums.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from treewright.cached import cached_property
from treewright.errors import ExportError
from treewright.exports.program import Program
from treewright.exports.sql.dialect import Dialect
from treewright.exports.sql.routes import ITSELF, SHARED, Route, case

LEAVES_PER_STAGE = 100
LEAVES_PER_HANDLE = 25  # so few leaves share one product for the path to the node above them
MAX_FACTORS = 500  # of one product: the depth of the tree
MAX_WAYS = 10  # out of a node; with more, a column of its own says where a row goes
MAX_ROUTE_COLUMNS = 200  # such columns, for the widest nodes


@dataclass(slots=True)
class Chunk:
    """Columns as (node, expression): the shares of some leaves, from left to right.

    In a large tree, leaves continue the product of a handle: a node above them that an earlier
    stage has computed. Most rows do not reach it, so most products are not computed.
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
    is_shared: str  # a condition that holds for rows that several leaves share

    def __post_init__(self) -> None:
        depth = self.program.tree.depth
        if depth > MAX_FACTORS:
            raise ExportError(
                f"the tree is {depth} levels deep and shares rows with missing values among its "
                f"leaves; export to SQL handles {MAX_FACTORS} levels at most",
                hint="prune the tree, or limit it with to_depth",
            )

    def chunks(self) -> list[Chunk]:
        """All nodes that may predict, from left to right."""
        chunks = [Chunk()]
        for group in self.groups():
            if len(chunks[-1].leaves) + len(group.leaves) > LEAVES_PER_STAGE:
                chunks.append(Chunk())
            chunks[-1].handles += group.handles
            chunks[-1].leaves += group.leaves
        return chunks

    def groups(self) -> Iterator[Chunk]:
        """The leaves below each handle, and leaves that have none."""
        n_predicting = self.count_predicting()
        stack: list[tuple[int, tuple[str, ...]]] = [(0, ())]
        while stack:
            node, factors = stack.pop()
            if self.program.step(node) is None:
                yield Chunk([], [(node, self.if_shared(factors))])
            elif n_predicting[node] <= LEAVES_PER_HANDLE:
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

    def count_predicting(self) -> list[int]:
        """How many nodes may predict at or below each."""
        counts = [0] * self.program.tree.n_nodes
        parent = self.program.tree.parent.tolist()
        for node in range(len(counts) - 1, -1, -1):
            is_predicting = node not in self.routes or self.routes[node].otherwise == ITSELF
            counts[node] += is_predicting
            if node:
                counts[parent[node]] += counts[node]
        return counts

    @cached_property
    def wide(self) -> dict[int, str]:
        """Wide nodes, and the columns with the child that a row goes to from there.

        Without these, the factor of every child would list the levels of all children.
        """
        n_ways = {node: len(route.ways) for node, route in self.routes.items()}
        wide = [node for node, count in n_ways.items() if count > MAX_WAYS]
        widest = sorted(wide, key=lambda node: -n_ways[node])[:MAX_ROUTE_COLUMNS]
        return {node: f"{self.prefix}route_{node}" for node in sorted(widest)}

    def numbers(self) -> Iterator[tuple[str, str]]:
        """(expression, name) of the columns of wide nodes."""
        for node, name in self.wide.items():
            yield self.routes[node].number(), name

    def own_factor(self, node: int) -> str | None:
        """1 for rows that the node itself predicts; None if there are none."""
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
        """The factor of a share on each way out of a node; zero for ways not listed."""
        nothing = self.dialect.number(0.0)
        number = self.wide.get(node)
        if number is None:
            return self.routes[node].choose(outcome, nothing)
        return case([(f"{number} = {way}", text) for way, text in outcome.items()], nothing)

    def share(self, node: int) -> str:
        """The column with the share of a node."""
        return f"{self.prefix}share_{node}"

    def handle(self, node: int) -> str:
        """The column with the product of the path to a handle."""
        return f"{self.prefix}handle_{node}"

    def sum_column(self, value: int) -> str:
        """The column with the sum of one class, or of the number."""
        return f"{self.prefix}sum_{value}"

    def stages(self) -> Iterator[tuple[list[tuple[str, str]], list[str]]]:
        """The columns that each stage computes, and those it drops.

        A stage works on three chunks: it adds up the leaves of one, continues the products of
        the next, and begins those of the one after it.
        """
        nothing = f"CASE WHEN {self.is_shared} THEN {self.dialect.number(0.0)} END"
        n_values = self.program.node_values.shape[1]
        first_sums = [(nothing, self.sum_column(value)) for value in range(n_values)]
        empty, chunks = Chunk(), self.chunks()
        before = [empty, empty] if any(chunk.handles for chunk in chunks) else [empty]
        chunks = [*before, *chunks, empty, empty]
        for at in range(len(chunks) - 2):
            added, continued, begun = chunks[at : at + 3]
            new = list(self.next_sums(added) if at else first_sums)
            new += [(text, self.share(node)) for node, text in continued.leaves]
            new += [(text, self.handle(node)) for node, text in begun.handles]
            dropped = [self.share(node) for node, _ in added.leaves]
            yield new, dropped + [self.handle(node) for node, _ in continued.handles]

    def next_sums(self, chunk: Chunk) -> Iterator[tuple[str, str]]:
        """The sums with a chunk's values added one after the other; nothing without leaves."""
        node_values = self.program.node_values
        for value in range(node_values.shape[1]) if chunk.leaves else ():
            terms = [self.sum_column(value)]
            for node, _ in chunk.leaves:
                number = float(node_values[node, value])
                if number != 0:  # zero adds nothing
                    terms.append(f"{self.share(node)} * {self.dialect.number(number)}")
            yield " + ".join(terms), self.sum_column(value)
