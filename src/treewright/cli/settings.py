"""The settings of the estimators that can be given as flags."""

from treewright.models import params
from treewright.models.params import CLASS_CRITERIA, NUMBER_CRITERIA, Param

# Said by other flags, or of no use in one command.
NOT_FLAGS = {"categorical_features"}


def declared_settings() -> list[Param]:
    """Every parameter declared in `models/params.py`, once, in the order of the declarations."""
    found = {"criterion": params.criterion("gini", CLASS_CRITERIA + NUMBER_CRITERIA)}
    for value in vars(params).values():
        for param in value if isinstance(value, tuple) else (value,):
            if isinstance(param, Param) and param.name not in NOT_FLAGS:
                found.setdefault(param.name, param)
    return list(found.values())


SETTINGS = declared_settings()
