"""Random small problems with holes, weights and every kind of column."""

import math
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from reference.problem import Problem, RefColumn, RefSettings

# Neighbors that a midpoint must still separate, sums that overflow, infinities.
EXTREMES = (
    -math.inf,
    -1.7e308,
    -1.0,
    -5e-324,
    0.0,
    5e-324,
    1.0,
    1.0000000000000002,
    1.0000000000000004,  # the midpoint of the two rounds up
    3.0,
    1.7e308,
    math.inf,
)

POLICIES = ("fractional", "surrogate", "learned", "branch", "majority", "stop")
NOMINAL_SPLITS = ("branches", "subset", "one_vs_rest")

C45 = RefSettings(
    criterion="gain_ratio",
    nominal="branches",
    missing="fractional",
    min_gain=0.0,
    min_samples_leaf=2,
    limits_by_weight=True,
    average_gain_filter=True,
    mdl_correction=True,
    data_value_thresholds=True,
)
ID3 = RefSettings(criterion="information_gain", nominal="branches", missing="stop", use_once=True)

SettingsOf = Callable[[random.Random, int], RefSettings]


def random_problem(seed: int, settings_of: SettingsOf) -> Problem:
    """The problem of a seed; `settings_of(rng, n_classes)` draws its settings."""
    rng = random.Random(seed)
    n_rows = rng.randint(2, 24)
    n_classes = rng.choice((2, 2, 3, 4))
    share_missing = rng.choice((0.0, 0.15, 0.4))
    columns = tuple(_random_column(rng, n_rows, share_missing) for _ in range(rng.randint(1, 4)))
    settings = settings_of(rng, n_classes)
    is_regression = settings.criterion in ("squared_error", "absolute_error", "poisson")
    target = [_target(rng, columns, row, n_classes) for row in range(n_rows)]
    if is_regression:
        target = [float(t) + rng.choice((0.0, 0.0, 0.5)) for t in target]
    return Problem(
        columns=columns,
        target=target,
        n_classes=0 if is_regression else n_classes,
        **_weights_and_settings(rng, n_rows, settings),
    )


def with_extreme_values(problem: Problem, seed: int) -> Problem:
    """The same problem with the numbers of its columns drawn from EXTREMES."""
    rng = random.Random(seed)
    columns = tuple(
        replace(c, values=tuple(None if v is None else rng.choice(EXTREMES) for v in c.values))
        if c.kind == "numeric"
        else c
        for c in problem.columns
    )
    return replace(problem, columns=columns)


def with_close_values(problem: Problem, seed: int) -> Problem:
    """The same problem with numbers a few millionths apart, some of them."""
    rng = random.Random(seed)
    scale, far = rng.choice((1.0, 1e-9)), rng.choice((0.0, 1.0))
    columns = tuple(
        replace(
            c,
            values=tuple(
                None if v is None else scale * (v * 3e-6 + rng.choice((0.0, 0.0, far)))
                for v in c.values
            ),
        )
        if c.kind == "numeric"
        else c
        for c in problem.columns
    )
    return replace(problem, columns=columns)


def longer_problem(seed: int, settings_of: SettingsOf, n_rows: int) -> Problem:
    """Columns that all know something of one hidden number, so that trees grow deep."""
    rng = random.Random(seed)
    n_classes = rng.choice((2, 2, 3, 5))
    share_missing = rng.choice((0.0, 0.0, 0.1))
    hidden = [rng.random() for _ in range(n_rows)]
    columns = tuple(_noisy_column(rng, hidden, share_missing) for _ in range(rng.randint(2, 4)))
    settings = replace(settings_of(rng, n_classes), max_depth=4)
    is_regression = settings.criterion in ("squared_error", "absolute_error", "poisson")
    target = [min(n_classes - 1, int((h + rng.gauss(0, 0.15)) % 1 * n_classes)) for h in hidden]
    if is_regression:
        target = [float(t) + rng.choice((0.0, 0.25, 0.5)) for t in target]
    return Problem(
        columns=columns,
        target=target,
        n_classes=0 if is_regression else n_classes,
        weights=tuple(rng.choice(((1,), (1, 2, 3))) * n_rows)[:n_rows],
        settings=settings,
    )


def many_levels_problem(seed: int) -> Problem:
    """Nominal columns of up to 30 levels, some of them much alike, and holes that tell much."""
    rng = random.Random(seed)
    n_rows, n_classes = rng.randint(20, 60), rng.choice((0, 2, 2, 3))
    most_levels = 6 if n_classes == 3 else 30  # of three classes the reference tries all sets
    share_missing = rng.choice((0.0, 0.2))
    columns = []
    for _ in range(rng.randint(1, 3)):
        n_levels = rng.randint(2, most_levels)
        levels = [rng.randrange(n_levels) for _ in range(n_rows)]
        holes = [None if rng.random() < share_missing else level for level in levels]
        columns.append(RefColumn("nominal", tuple(holes), n_levels))
    hidden = [(level or 0) * 7 + rng.choice((0, 0, 1)) for level in columns[0].values]
    target = [number // 3 % n_classes if n_classes else number % 5 / 2 for number in hidden]
    measures = ("gini", "gini", "information_gain") if n_classes else ("squared_error", "poisson")
    settings = RefSettings(
        criterion=rng.choice(measures),
        nominal=rng.choice(("subset", "subset", "one_vs_rest")),
        missing=rng.choice((*POLICIES, "learned")),
        max_depth=rng.choice((2, 4)),
        min_samples_leaf=rng.choice((1, 3, 6)),
        min_weight_fraction_leaf=rng.choice((0.0, 0.0, 0.0, 0.125)),
    )
    weighted = _weights_and_settings(rng, n_rows, settings)
    return Problem(tuple(columns), target, n_classes, **weighted)


def wide_problem(seed: int, settings_of: SettingsOf) -> Problem:
    """Up to sixty rows of six columns, of any number at all, of up to 300 levels, or of holes.

    Wider than what the reference can grow in time: for what must hold of any tree.
    """
    rng = random.Random(seed)
    n_rows, n_classes = rng.randint(1, 60), rng.randint(1, 6)
    columns = tuple(_wide_column(rng, n_rows) for _ in range(rng.randint(1, 6)))
    settings = settings_of(rng, n_classes)
    is_regression = settings.criterion in ("squared_error", "absolute_error", "poisson")
    target = [_any_class(rng, columns, row, n_classes) for row in range(n_rows)]
    return Problem(
        columns=columns,
        target=[code + rng.choice((0.0, 0.5)) for code in target] if is_regression else target,
        n_classes=0 if is_regression else n_classes,
        **_weights_and_settings(rng, n_rows, settings),
    )


def _wide_column(rng: random.Random, n_rows: int) -> RefColumn:
    kind = rng.choice(("numeric", "numeric", "nominal", "ordered"))
    n_levels = 0 if kind == "numeric" else rng.choice((1, 2, 3, 12, 40, 300))
    scale = rng.choice((1e-320, 1e-9, 1.0, 1e9, 1e300))
    drawn = {
        "levels": lambda: rng.randrange(n_levels),
        "few": lambda: float(rng.randint(-3, 3)),
        "many": lambda: rng.uniform(-1, 1) * scale,
        "odd": lambda: rng.choice(EXTREMES),
    }
    one_value = drawn["levels" if n_levels else rng.choice(("few", "many", "odd"))]
    share_missing = rng.choice((0.0, 0.0, 0.1, 0.5, 0.9, 1.0))
    values = tuple(None if rng.random() < share_missing else one_value() for _ in range(n_rows))
    return RefColumn(kind, values, n_levels)


def _any_class(rng: random.Random, columns: tuple[RefColumn, ...], row: int, n_classes: int) -> int:
    """A class that the first column knows, mostly."""
    value = columns[0].values[row]
    if value is None or rng.random() < 0.3:
        return rng.randrange(n_classes)
    if columns[0].kind != "numeric":
        return int(value) % n_classes
    known = sorted({v for v in columns[0].values if v is not None})
    return known.index(value) * n_classes // len(known)


def _noisy_column(rng: random.Random, hidden: list[float], share_missing: float) -> RefColumn:
    kind = rng.choice(("numeric", "numeric", "numeric", "nominal", "ordered"))
    noise, n_levels = rng.choice((0.2, 0.6, 2.0)), rng.randint(2, 6)
    is_rounded = rng.random() < 0.4

    def seen(number: float) -> float | int | None:
        if rng.random() < share_missing:
            return None
        noisy = number + rng.gauss(0, noise)
        if kind != "numeric":
            return min(n_levels - 1, max(0, int(noisy * n_levels)))
        return round(noisy, 1) if is_rounded else noisy

    values = tuple(seen(number) for number in hidden)
    return RefColumn(kind, values, 0 if kind == "numeric" else n_levels)


def _random_column(rng: random.Random, n_rows: int, share_missing: float) -> RefColumn:
    kind = rng.choice(("numeric", "numeric", "nominal", "nominal", "ordered"))
    n_levels = rng.randint(1, 5)

    def one_value() -> float | int:
        if kind != "numeric":
            return rng.randrange(n_levels)
        return float(rng.randrange(8)) if rng.random() < 0.7 else rng.uniform(0, 8)

    values = tuple(None if rng.random() < share_missing else one_value() for _ in range(n_rows))
    return RefColumn(kind, values, 0 if kind == "numeric" else n_levels)


def _target(rng: random.Random, columns: tuple[RefColumn, ...], row: int, n_classes: int) -> int:
    """A class that some columns know something about."""
    if rng.random() < 0.3:
        return rng.randrange(n_classes)
    value = columns[row % len(columns) if rng.random() < 0.2 else 0].values[row]
    return 0 if value is None else int(value) % n_classes


def _weights_and_settings(
    rng: random.Random, n_rows: int, settings: RefSettings
) -> dict[str, tuple | RefSettings]:
    """Random weights, and settings that take whole ones for counts, as estimators do."""
    weights = tuple(_weights(rng, n_rows))
    are_counts = set(weights) != {1} and all(weight == int(weight) for weight in weights)
    return {"weights": weights, "settings": replace(settings, weights_are_counts=are_counts)}


def _weights(rng: random.Random, n_rows: int) -> list[int | Fraction]:
    """All one, whole, or quarters: every sum of them is exact in floating point too."""
    kind = rng.choice(("one", "one", "whole", "quarters"))
    if kind == "one":
        return [1] * n_rows
    if kind == "whole":
        return [rng.randint(1, 3) for _ in range(n_rows)]
    return [Fraction(rng.randint(1, 8), 4) for _ in range(n_rows)]


# Families of settings.


def any_classification(rng: random.Random, n_classes: int) -> RefSettings:
    """Measures, kinds of split, missing policies and limits in any mixture."""
    criterion = rng.choice(("information_gain", "gain_ratio", "gini", "cost_gini", "chi2"))
    settings = RefSettings(
        criterion=criterion,
        nominal=rng.choice(NOMINAL_SPLITS),
        missing=rng.choice(POLICIES),
        costs=_costs(rng, n_classes) if criterion == "cost_gini" else None,
        use_once=rng.random() < 0.15,
    )
    return _with_limits(rng, settings)


def any_regression(rng: random.Random, n_classes: int) -> RefSettings:
    criterion = rng.choice(("squared_error", "absolute_error", "poisson"))
    settings = RefSettings(
        criterion=criterion, nominal=rng.choice(NOMINAL_SPLITS), missing=rng.choice(POLICIES)
    )
    return _with_limits(rng, settings)


def any_altered_priors(rng: random.Random, n_classes: int) -> RefSettings:
    settings = RefSettings(
        criterion=rng.choice(("gini", "entropy")),
        nominal=rng.choice(("subset", "branches")),
        missing=rng.choice(POLICIES),
        class_factor=tuple(rng.choice((0.5, 1.0, 2.0, 3.25)) for _ in range(n_classes)),
    )
    return _with_limits(rng, settings)


def any_c45(rng: random.Random, n_classes: int) -> RefSettings:
    """C4.5 with each of its rules on or off."""
    return replace(
        C45,
        min_samples_leaf=rng.choice((1, 2, 2, 3)),
        average_gain_filter=rng.random() < 0.7,
        mdl_correction=rng.random() < 0.7,
        data_value_thresholds=rng.random() < 0.7,
        j48_gaps=rng.random() < 0.7,
    )


def any_id3(rng: random.Random, n_classes: int) -> RefSettings:
    return replace(ID3, criterion=rng.choice(("information_gain", "gain_ratio", "gini")))


def any_intervals(rng: random.Random, n_classes: int) -> RefSettings:
    settings = RefSettings(
        criterion=rng.choice(("information_gain", "gini")),
        numeric="intervals",
        nominal=rng.choice(NOMINAL_SPLITS),
        missing=rng.choice(POLICIES),
    )
    return _with_limits(rng, settings)


FAMILIES = {
    "classification": any_classification,
    "regression": any_regression,
    "altered priors": any_altered_priors,
    "C4.5": any_c45,
    "ID3": any_id3,
    "intervals": any_intervals,
}


def _costs(rng: random.Random, n_classes: int) -> tuple[tuple[float, ...], ...]:
    return tuple(
        tuple(0.0 if i == j else rng.choice((0.5, 1.0, 2.0, 4.0)) for j in range(n_classes))
        for i in range(n_classes)
    )


def _with_limits(rng: random.Random, settings: RefSettings) -> RefSettings:
    return replace(
        settings,
        max_depth=rng.choice((None, None, 1, 2, 3)),
        min_samples_split=rng.choice((2, 2, 2, 5)),
        min_samples_leaf=rng.choice((1, 1, 1, 2, 4)),
        min_weight_fraction_leaf=rng.choice((0.0, 0.0, 0.125)),
        min_gain=None if settings.criterion == "chi2" else rng.choice((None, None, 0.0, 0.0625)),
    )
