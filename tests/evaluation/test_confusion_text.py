"""Confusion matrices fit a screen, whatever the number and the length of class names."""

import numpy as np
import pytest

from treewright.evaluation.evaluation import WIDEST, confusion_lines


def some_table(n_classes, seed=0):
    generator = np.random.default_rng(seed)
    table = np.diag(generator.integers(5, 50, n_classes)).astype(float)
    for _ in range(n_classes):
        table[tuple(generator.integers(0, n_classes, 2))] += 1
    return table


def test_short_names_stand_above_their_columns():
    lines = confusion_lines(["no", "yes"], np.array([[3.0, 1.0], [0.0, 4.5]]))
    assert [line.split()[-2:] for line in lines] == [["no", "yes"], ["3", "1"], ["0", "4.5"]]


@pytest.mark.parametrize("n_classes", [8, 19])
def test_long_names_get_letters(n_classes):
    classes = [f"a disease with a long name, number {at}" for at in range(n_classes)]
    lines = confusion_lines(classes, some_table(n_classes))
    assert len(lines) == n_classes + 1
    assert lines[1].startswith("a = a disease")
    assert max(map(len, lines)) <= WIDEST


def test_a_matrix_too_wide_for_letters_gives_way_to_the_commonest_mistakes():
    classes = [f"a disease with a long name, number {at}" for at in range(26)]
    lines = confusion_lines(classes, some_table(26) + 0.25)
    assert lines[0].startswith("most frequent errors")
    assert max(map(len, lines)) <= WIDEST


def test_of_very_many_classes_the_commonest_mistakes_are_told():
    table = some_table(200)
    table[7, 9] = 33
    lines = confusion_lines(list(range(200)), table)
    assert lines[1].split() == ["7", "9", "33"]
    assert lines[-1].startswith("... ")
    assert len(lines) == 22
    none = confusion_lines(list(range(200)), np.diag(np.ones(200)))
    assert none == ["no class is confused with another"]


def test_names_that_break_lines_do_not():
    lines = confusion_lines(["a\nb", "c"], np.eye(2))
    assert len(lines) == 3
