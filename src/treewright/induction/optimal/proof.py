"""How close a tree is to the best possible one: its cost, a lower bound, and a summary."""

import math
from dataclasses import dataclass, fields

from treewright.errors import ModelFileError
from treewright.result import Record, Result

BY_COSTS = "by_costs"  # left out of files where it is False
LONGEST = 1e15  # larger weights are shown in scientific notation


@dataclass(frozen=True, slots=True, repr=False)
class OptimalityProof(Result):
    """How close a tree is to the best one; costs are shares of the weight of all rows."""

    max_depth: int
    max_leaf_nodes: int
    min_samples_leaf: int
    min_weight_fraction_leaf: float
    penalty: float  # of a leaf
    n_rows: int
    weight: float  # of the rows
    errors: float  # weight of the misclassified rows
    n_leaves: int
    cost: float  # errors / weight + penalty * n_leaves
    lower_bound: float  # no tree costs less
    proven: bool  # whether no tree is better
    n_searched: int  # splits that were tried at inner nodes
    n_questions: int  # different splits of the root
    n_left_out: int  # thresholds that max_cuts left out
    n_one_vs_rest: int  # nominal columns without sets of two or more categories
    by_costs: bool = False  # whether a row weighs what an error on it costs

    def _facts(self) -> Record:
        facts = Result._facts(self)
        return facts if self.by_costs else {key: facts[key] for key in facts if key != BY_COSTS}

    @property
    def gap(self) -> float:
        """The most that a better tree could save, as a share of the weight."""
        return 0.0 if self.proven else self.cost - self.lower_bound

    @property
    def asks_all(self) -> bool:
        """Whether no threshold and no set of categories was left out."""
        return not (self.n_left_out or self.n_one_vs_rest)

    def to_text(self) -> str:
        """What is proven, how much was searched, and what was left out."""
        rest = "bounds ruled out the rest" if self.proven else "time ran out before the rest"
        searched = (
            f"The root has {self.n_questions:,} possible splits. "
            f"{self.n_searched:,} splits were tried at inner nodes; {rest}."
        )
        parts = [self.verdict, searched]
        if not self.asks_all:
            parts.append(f"This holds for trees with these splits: {self._left_out()}.")
        return "\n".join(parts)

    @property
    def verdict(self) -> str:
        """What is proven, in one sentence."""
        wrong = f"{amount(self.errors)} of {amount(self.weight)}"
        if self.penalty:
            leaves = f"{self.penalty:g} x {self.n_leaves} leaves"
            lost = f"errors {wrong}" if self.by_costs else f"{wrong} wrong"
            has = f"costs {self.cost:.6g} ({lost} + {leaves})"
            less = f"costs less than {self.lower_bound:.6g}"
        elif self.by_costs:
            has = f"has errors that cost {amount(self.errors)} of at most {amount(self.weight)}"
            less = f"has errors that cost less than {amount(self.least_errors)}"
        else:
            has = f"gets {wrong} wrong"
            less = f"gets fewer than {amount(self.least_errors)} wrong"
        if self.proven:
            return f"Proven: this tree {has}, and no tree of {self._family()} {less}."
        bound = f"no tree of {self._family()} {less}"
        if self.lower_bound == 0:
            bound = f"there is no lower bound yet for trees of {self._family()}"
        return (
            f"Not proven in the time given: this tree {has}, {bound}. "
            f"Gap: {self.gap:.3%} of the {'costs' if self.by_costs else 'rows'}."
        )

    @property
    def least_errors(self) -> float:
        """A lower bound on the errors of any tree, if leaves cost nothing."""
        if self.proven:
            return self.errors
        least = self.lower_bound * self.weight
        whole = float(self.weight).is_integer() and self.weight == self.n_rows
        return float(math.ceil(least - 1e-6)) if whole else least

    def _family(self) -> str:
        depth = f"depth {self.max_depth} or less"
        if self.max_leaf_nodes < 2**self.max_depth:
            depth += f" and {self.max_leaf_nodes} leaves or fewer"
        if not self.asks_all:
            depth += " with these splits"
        if self.min_weight_fraction_leaf > 0:
            depth += f" with {self.min_weight_fraction_leaf:.4g} of the weight in every leaf"
        if self.min_samples_leaf > 1:
            depth += f" with {self.min_samples_leaf} rows or more in a leaf"
        return depth

    def _left_out(self) -> str:
        words = []
        if self.n_left_out:
            words.append(f"max_cuts left {self.n_left_out:,} thresholds out")
        if self.n_one_vs_rest:
            columns = "column" if self.n_one_vs_rest == 1 else "columns"
            words.append(
                f"categories of {self.n_one_vs_rest:,} {columns} were tried one against the rest"
            )
        return ", ".join(words)

    @classmethod
    def from_dict(cls, data: object) -> "OptimalityProof":
        """The proof that `to_dict` wrote, checked."""
        known = {field.name: field.type for field in fields(cls)}
        if type(data) is dict:
            data = {BY_COSTS: False, **data}  # older files, and those without costs
        if type(data) is not dict or set(data) != set(known):
            raise ModelFileError("optimality: not the entries of a proof")
        for name, kind in known.items():
            if type(data[name]) is not kind:
                raise ModelFileError(f"optimality: `{name}` has the wrong type")
        proof = cls(**data)
        numbers = [getattr(proof, name) for name, kind in known.items() if kind is not bool]
        if not all(math.isfinite(number) and number >= 0 for number in numbers):
            raise ModelFileError("optimality: a number is negative or not finite")
        if proof.lower_bound > proof.cost or proof.errors > proof.weight or proof.max_depth > 64:
            raise ModelFileError("optimality: the numbers contradict each other")
        return proof


def amount(value: float) -> str:
    """A weight as text, rows without decimals.

    >>> amount(1200.0), amount(0.25), amount(3e300)
    ('1,200', '0.25', '3e+300')
    """
    is_short = float(value).is_integer() and value < LONGEST
    return f"{value:,.0f}" if is_short else f"{value:,.6g}"
