"""Models that use dates as numbers, which does not carry over to later rows."""

from typing import Any

import numpy as np

from treewright.data.leaks import raw_date_warning
from treewright.errors import warn_user
from treewright.estimators.threads import is_worker


def raw_dates_of(model: Any) -> list[str]:
    """The columns whose dates a fitted model uses as numbers."""
    columns = model.schema_.columns
    dated = [at for at, spec in enumerate(columns) if spec.unit.startswith("datetime64")]
    if not dated:
        return []
    shares = getattr(model, "feature_importances_", None)
    is_used = np.ones(len(columns), dtype=bool)
    if shares is not None and len(shares) == len(columns):
        is_used = ~(np.asarray(shares) == 0)
    return [columns[at].name for at in dated if is_used[at]]


def warn_of_raw_dates(model: Any) -> None:
    """Warn at the user's line; copies that are fitted to folds are silent."""
    if not is_worker():
        for name in raw_dates_of(model):
            warn_user(str(raw_date_warning(name)))
