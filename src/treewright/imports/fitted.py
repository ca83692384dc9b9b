"""The fitted states of imported models: how they predict, and how a file holds them."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from treewright._kernels import portable
from treewright.arrays import Floats
from treewright.data.schema import with_keys
from treewright.ensembles.boosting.losses import LARGEST_SCORE
from treewright.ensembles.fitted import LARGEST_SUM, FittedEnsemble
from treewright.ensembles.packed import PackedTreeSequence
from treewright.errors import DataError, ModelFileError
from treewright.estimators.fitted import Fitted, Rows, Settings, learned
from treewright.model_trees.fitted import FittedModelTree
from treewright.persistence.values import FLAG, NUMBER, Arrays, floats, word_of
from treewright.result import Record, Result
from treewright.single_trees.fitted import FittedTree
from treewright.tree.predict import predict_leaves, predict_values

REPORT = "import_report"  # a key of the file
VERIFIED, ON_TABLE, NOT_VERIFIED = "verified", "verified on a table", "not verified"
STATUSES = (VERIFIED, ON_TABLE, NOT_VERIFIED)
MOST_ITEMS = 1000  # of a list in a file
LARGEST_FLOAT32_SCORE = 88.7  # exp of it is still a float32


@dataclass(frozen=True, slots=True, repr=False)
class ImportReport(Result):
    """Where an imported model comes from, and what was compared with the original."""

    source: str  # the kind of file or object
    library: str
    version: str | None  # of the library or of its file format, if known
    status: str
    reason: str  # why the model is not verified; "" if it is
    checked: tuple[str, ...]  # what was compared
    n_witness_rows: int  # rows on, just below and just above every threshold
    n_table_rows: int
    largest_difference: float  # of raw scores or probabilities; 0: equal to the last bit
    notes: tuple[str, ...]  # what the source does not say

    def to_text(self) -> str:
        version = "" if self.version is None else f" {self.version}"
        lines = [f"{self.status}: {self.source} of {self.library}{version}"]
        if self.reason:
            lines.append(f"reason: {self.reason}")
        lines += [f"compared: {one}" for one in self.checked]
        if self.checked:
            found = "none" if self.largest_difference == 0 else f"{self.largest_difference:.2g}"
            lines.append(f"largest difference: {found}")
        return "\n".join([*lines, *(f"note: {one}" for one in self.notes)])

    def _records(self) -> list[Record]:
        facts = self.to_dict()
        return [{key: one for key, one in facts.items() if not isinstance(one, list)}]

    @classmethod
    def from_dict(cls, data: object) -> "ImportReport":
        """The report that `to_dict` wrote, checked."""
        entry = dict(with_keys(data, {one.name for one in fields(cls)}, REPORT))
        for name, kind in {"source": str, "library": str, "status": str, "reason": str}.items():
            if type(entry[name]) is not kind:
                raise ModelFileError(f"{REPORT}: `{name}` is not a text")
        if type(entry["version"]) not in (str, type(None)) or entry["status"] not in STATUSES:
            raise ModelFileError(f"{REPORT}: `version` or `status` is not known")
        for name in ("checked", "notes"):
            listed = entry[name]
            if type(listed) is not list or not all(type(one) is str for one in listed):
                raise ModelFileError(f"{REPORT}: `{name}` is not a list of texts")
            entry[name] = tuple(listed[:MOST_ITEMS])
        for name in ("n_witness_rows", "n_table_rows"):
            if type(entry[name]) is not int or entry[name] < 0:
                raise ModelFileError(f"{REPORT}: `{name}` is not a number of rows")
        if type(entry["largest_difference"]) is not float or not entry["largest_difference"] >= 0:
            raise ModelFileError(f"{REPORT}: `largest_difference` is not a number from 0 on")
        return cls(**entry)


NO_REPORT = ImportReport("", "", None, NOT_VERIFIED, "", (), 0, 0, 0.0, ())


# ---------------------------------------------------------------------------- links


def logistic_of(scores: Floats) -> Floats:
    """1 / (1 + exp(-score))."""
    found: Floats = 1.0 / (1.0 + portable.exp(np.minimum(-scores, LARGEST_SCORE)))
    return found


def exponential_of(scores: Floats) -> Floats:
    return portable.exp(np.minimum(scores, LARGEST_SCORE))


def log_one_plus_exp(scores: Floats) -> Floats:
    return np.maximum(scores, 0.0) + portable.log1p(portable.exp(-np.abs(scores)))


def signed_square(scores: Floats) -> Floats:
    return np.sign(scores) * scores * scores


def is_positive(scores: Floats) -> Floats:
    return (scores > 0).astype(np.float64)


def logistic_float32(scores: Floats) -> Floats:
    """1 / (1 + exp(-score)), each step in float32."""
    exp = portable.exp(np.minimum(-scores, LARGEST_FLOAT32_SCORE)).astype(np.float32)
    one = np.float32(1.0)
    return np.asarray(one / (exp + one), dtype=np.float64)


def softmax_float32(scores: Floats) -> Floats:
    """exp(score) as shares, each step in float32 but the sum."""
    small = scores.astype(np.float32)
    below = small - small.max(axis=1, keepdims=True)
    exp = portable.exp(below.astype(np.float64)).astype(np.float32)
    total = np.cumsum(exp, axis=1, dtype=np.float64)[:, -1:].astype(np.float32)
    return np.asarray(exp / total, dtype=np.float64)


# What one score stands for: a number, or the probability of the second of two classes.
LINKS: dict[str, Callable[[Floats], Floats]] = {
    "same": lambda scores: scores,
    "logistic": logistic_of,
    "exponential": exponential_of,
    "log_one_plus_exp": log_one_plus_exp,
    "signed_square": signed_square,
    "step": is_positive,
}
# What a score for each class stands for: probabilities.
CLASS_LINKS: dict[str, Callable[[Floats], Floats]] = {
    "softmax": lambda scores: portable.softmax(scores, axis=1),
    "logistic_each": logistic_of,
}
# The same for a library that computes them in float32.
FLOAT32_LINKS = {"logistic": logistic_float32, "softmax": softmax_float32}
SHARES = "shares"  # of classes, which are averaged: there are no scores
LINK = word_of(*LINKS, *CLASS_LINKS, SHARES)


# ---------------------------------------------------------------------------- states


@dataclass(frozen=True, eq=False, kw_only=True)
class WithReport(Fitted):
    """A state with the report of its import, which its file holds too."""

    import_report: ImportReport = NO_REPORT

    def to_parts(self) -> tuple[dict[str, Any], Arrays]:
        entry, arrays = super().to_parts()
        return {**entry, REPORT: self.import_report.to_dict()}, arrays

    @classmethod
    def from_parts(cls, data: object, arrays: Arrays) -> Self:
        others, report = without_report(data)
        return replace(super().from_parts(others, arrays), import_report=report)


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedImported(WithReport, FittedEnsemble):
    """Trees of another library, and how they add up."""

    reading = "treewright.imports.reading.ImportedReading"
    trees_may_have_classes: ClassVar[bool] = True  # then their shares are averaged

    start: Floats = learned(floats(1))
    divisor: float = learned(NUMBER)  # of the sums
    link: str = learned(LINK)
    link_scale: float = learned(NUMBER)  # scores are multiplied by it first
    in_float32: bool = learned(FLAG)  # sums are rounded to float32 after each tree

    @property
    def averages_shares(self) -> bool:
        trees = self.trees
        first = trees.classes if isinstance(trees, PackedTreeSequence) else trees[0].classes
        return first is not None

    def scores(self, X: Any, settings: Settings) -> Floats:
        """(n_rows, n_outputs): what all trees add up to."""
        rows = self.encode(X, settings)
        scores = np.repeat(self.start[np.newaxis], len(rows), axis=0)
        self.add_trees(rows, scores, self.threads_for(len(rows), settings))
        return scores if self.divisor == 1.0 else scores / self.divisor

    def add_trees(self, rows: Rows, scores: Floats, n_threads: int) -> None:
        """Add the values of the trees, in their order."""
        if isinstance(self.trees, PackedTreeSequence):
            self.trees.add_values(rows, scores, n_threads, in_float32=self.in_float32)
            return
        for at, tree in enumerate(self.trees):
            own = scores[:, at % scores.shape[1]]
            own += predict_values(tree, rows, n_threads)[:, 0]
            if self.in_float32:
                own[:] = own.astype(np.float32)

    def from_scores(self, scores: Floats) -> Floats:
        """(n_rows,) numbers or (n_rows, n_classes) probabilities."""
        given = scores if self.link_scale == 1.0 else scores * self.link_scale
        own = FLOAT32_LINKS if self.in_float32 else {}
        if self.link in CLASS_LINKS:
            return own.get(self.link, CLASS_LINKS[self.link])(given)
        found = own.get(self.link, LINKS[self.link])(given[:, 0])
        if self.in_float32:
            found = in_float32(found)
        if self.classes is None:
            return found
        other = 1.0 - found
        return np.stack([in_float32(other) if self.in_float32 else other, found], axis=1)

    def predict(self, X: Any, settings: Settings) -> NDArray[Any]:
        if self.classes is None:
            return self.from_scores(self.scores(X, settings))
        return self.class_labels(self.predict_proba(X, settings))

    def predict_proba(self, X: Any, settings: Settings) -> Floats:
        if self.averages_shares:
            return self.mean_values(X, settings)
        return self.from_scores(self.scores(X, settings))

    def check(self) -> None:
        super().check()
        n_scores, n_classes = len(self.start), 0 if self.classes is None else len(self.classes)
        fits = n_scores == n_classes if self.link in CLASS_LINKS else n_scores == 1
        fits = fits and self.link != SHARES
        if self.averages_shares:
            fits = n_classes > 0 and self.link == SHARES
        elif n_classes and self.link in LINKS:
            fits = n_classes == 2 and self.link in ("logistic", "step") and n_scores == 1
        if not fits or len(self.trees) % max(n_scores, 1):
            raise ModelFileError(f"learned: the link `{self.link}` does not fit the model")
        if not self.divisor > 0 or not 0 < self.link_scale < LARGEST_SUM:
            raise ModelFileError("learned: `divisor_` and `link_scale_` must be above 0")
        if (np.abs(self.start) > LARGEST_SUM).any():
            raise ModelFileError("learned: `start_` is so large that sums with it are infinite")


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedImportedTree(WithReport, FittedTree):
    """One tree of another library."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedImportedModelTree(WithReport, FittedModelTree):
    """One tree of another library with an equation in each leaf."""

    prediction_params = Fitted.prediction_params
    reading = "treewright.imports.reading.ImportedModelReading"

    is_filled: bool = learned(FLAG)  # whether it is known what replaces missing values

    def encode(self, X: Any, settings: Settings) -> Rows:
        rows = super().encode(X, settings)
        if not self.is_filled:
            for at, spec in enumerate(self.schema.columns):
                if isinstance(rows, np.ndarray):
                    is_missing = np.isnan(rows[:, at])
                else:
                    is_missing = np.asarray(rows.columns[at].is_missing)
                if is_missing.any():
                    raise DataError(
                        f"column `{spec.name}` has missing values, and the original replaces them "
                        "by means that its text does not name",
                        hint="import the text with its training rows, `X=` or --table",
                    )
        return rows

    def predict(self, X: Any, settings: Settings) -> Floats:
        rows = self.encode(X, settings)
        leaves = predict_leaves(self.tree, rows, self.threads_for(len(rows), settings))
        return self.models.predictions(self.tree, self.coding, rows, leaves, 0.0)


def in_float32(numbers: Floats) -> Floats:
    """The numbers rounded to float32, in which probabilities may tie."""
    with np.errstate(over="ignore"):
        return numbers.astype(np.float32).astype(np.float64)


def without_report(data: object) -> tuple[object, ImportReport]:
    """The parts of a state without the report, and the report."""
    if type(data) is not dict or REPORT not in data:
        raise ModelFileError("model: the report of the import is missing")
    others = {key: value for key, value in data.items() if key != REPORT}
    return others, ImportReport.from_dict(data[REPORT])
