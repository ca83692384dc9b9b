"""Weka and rpart count the classes that a table declares, also those without a row."""

import pytest

from treewright.estimators.training import TrainingRows


@pytest.fixture(autouse=True)
def declared_classes_count(monkeypatch):
    """Keep a class whose only row has weight 0 (see `goldens.with_all_classes`)."""
    monkeypatch.setattr(TrainingRows, "without_empty_classes", lambda rows: rows)
