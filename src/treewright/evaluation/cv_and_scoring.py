"""scikit-learn's `cv=` and `scoring=` in `tw.evaluate`: its splitters and scorers as they are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.errors import DataError, ParameterError, nearest
from treewright.evaluation.protocol import Protocol, one_per_row
from treewright.evaluation.rows import EvaluationRows
from treewright.evaluation.scores import MEASURES, checked_measure
from treewright.evaluation.splits import Plan, Split, is_whole

Scorer = Callable[..., Any]  # (fitted model, X, y, sample_weight=) -> number


class GivenPlan(Plan):
    """Splits made elsewhere: any training rows, any test rows."""

    def __init__(self, splits: Sequence[Split], fold_of_row: Any) -> None:
        super().__init__(fold_of_row)
        self._splits = splits

    def __len__(self) -> int:
        return len(self._splits)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return self._splits[index]


@dataclass(frozen=True, slots=True, eq=False)
class GivenSplits:
    """In the place of a `Protocol`: a splitter, or pairs of training and test rows."""

    cv: Any
    groups: Any = None

    def plan(self, rows: EvaluationRows) -> Plan:
        """The splits of these rows; a new repeat begins where a row is tested again."""
        n_rows = rows.n_rows
        splits: list[Split] = []
        lines = [np.full(n_rows, -1, dtype=np.int32)]
        for number, (train, test) in enumerate(self.pairs(rows)):
            learned = positions(train, n_rows, f"training rows of split {number}")
            held_out = positions(test, n_rows, f"test rows of split {number}")
            if (lines[-1][held_out] >= 0).any():
                lines.append(np.full(n_rows, -1, dtype=np.int32))
            fold = int(lines[-1].max()) + 1
            lines[-1][held_out] = fold
            splits.append(Split(len(lines) - 1, fold, learned, held_out))
        if not splits:
            raise DataError("cv has no splits", hint="give pairs of training and test rows")
        return GivenPlan(splits, np.array(lines))

    def pairs(self, rows: EvaluationRows) -> Iterable[Any]:
        """Training and test rows, of each split."""
        if not hasattr(self.cv, "split"):
            return list(self.cv)
        groups = None if self.groups is None else one_per_row(self.groups, rows.n_rows, "groups")
        return self.cv.split(np.zeros((rows.n_rows, 1)), rows.y, groups)  # type: ignore[no-any-return]

    def in_words(self, plan: Plan, *, of_classes: bool) -> str:
        """The scheme in words, for reports."""
        how = f"by {type(self.cv).__name__}" if hasattr(self.cv, "split") else "as given"
        return f"{len(plan)} {'split' if len(plan) == 1 else 'splits'} {how}"


def positions(rows: Any, n_rows: int, what: str) -> Any:
    """Rows as positions: given as such, or as a mask."""
    found = np.asarray(rows)
    if found.dtype.kind == "b" and found.shape == (n_rows,):
        found = np.flatnonzero(found)
    is_right = found.ndim == 1 and found.dtype.kind in "iu" and len(found)
    if not is_right or found.min() < 0 or found.max() >= n_rows:
        raise DataError(
            f"cv: the {what} are not positions from 0 to {n_rows - 1}",
            hint="give pairs of arrays: (training rows, test rows)",
        )
    return found.astype(np.intp)


def protocol_of(cv: Any, protocol: Protocol) -> Protocol | GivenSplits:
    """How rows are split: as `cv` says, or else by the protocol."""
    if cv is None:
        return protocol
    usual = Protocol()
    for name in ("folds", "repeats", "hold_out", "times"):
        if getattr(protocol, name) is not getattr(usual, name):
            raise ParameterError(f"cv= and {name}= cannot be combined", hint="give one of them")
    if is_whole(cv):
        return Protocol(
            cv,
            groups=protocol.groups,
            stratified=protocol.stratified,
            random_state=protocol.random_state,
        )
    if isinstance(cv, str) or not (hasattr(cv, "split") or isinstance(cv, Iterable)):
        raise ParameterError(
            f"cv={cv!r} is neither a number of folds nor a splitter",
            hint="use cv=10, a splitter of scikit-learn, or pairs of training and test rows",
        )
    return GivenSplits(cv, protocol.groups)


def scorers_of(scoring: Any, *, of_classes: bool, with_costs: bool) -> dict[str, Scorer | None]:
    """The scores that are asked for, by name; None for measures of ours.

    `scoring` is a name (of ours or scikit-learn's), a scorer, a list of names, or a dict.
    """
    if scoring is None:
        return {}
    if isinstance(scoring, str) or callable(scoring):
        scoring = [scoring]
    if isinstance(scoring, Mapping):
        return {str(name): get_scorer(one) for name, one in scoring.items()}
    found: dict[str, Scorer | None] = {}
    for one in scoring:
        if isinstance(one, str) and one in MEASURES:
            found[checked_measure(one, of_classes=of_classes, with_costs=with_costs)] = None
        else:
            found[one if isinstance(one, str) else name_of(one)] = get_scorer(one)
    return found


def get_scorer(scorer: Any) -> Scorer:
    """A scorer of scikit-learn by its name, or the scorer itself."""
    from sklearn.metrics import get_scorer, get_scorer_names

    if callable(scorer):
        return scorer  # type: ignore[no-any-return]
    known = get_scorer_names()
    if scorer not in known:
        raise ParameterError(
            f"scoring={scorer!r} is not known",
            hint=f"{nearest(str(scorer), [*MEASURES, *known], 'scores')}; or give a scorer: "
            "a function of (model, X, y)",
        )
    return get_scorer(scorer)  # type: ignore[no-any-return]


def name_of(scorer: Any) -> str:
    """What a function, or a scorer of scikit-learn, is called."""
    inner = getattr(scorer, "_score_func", scorer)
    return str(getattr(inner, "__name__", type(scorer).__name__))


def with_scores(
    measures: Mapping[str, float],
    scorers: Mapping[str, Scorer | None],
    fitted: Any,
    rows: EvaluationRows,
    split: Split,
) -> dict[str, float]:
    """The measures of one split, those asked for first."""
    X, y = rows.take(split.test), rows.y[split.test]
    more = {} if rows.weights is None else {"sample_weight": rows.weights[split.test]}
    found: dict[str, float] = {}
    for name, scorer in scorers.items():
        try:
            found[name] = measures[name] if scorer is None else float(scorer(fitted, X, y, **more))
        except Exception as error:  # of somebody else's function
            raise ParameterError(
                f"scoring: `{name}` fails on fold {split.fold}: {error}",
                hint="a fold may lack classes; use another score, or other folds",
            ) from error
    return found | {name: one for name, one in measures.items() if name not in found}
