"""What pruning compared, printed: the calculation of each method and what followed."""

import pytest

import treewright as tw

SAID = {
    "error_based": "as a leaf = 100 × U(50, 100) = 100 × 0.5386 = 53.8624",
    "pessimistic": "as a leaf = 50 + 0.5 = 50.5000",
    "minimum_error": "as a leaf = 100 × (50 + 2)/(100 + 3) = 50.4854",
}


@pytest.fixture(scope="module")
def iris():
    return tw.load_sample("iris")


def lines_of(model, X, y, node: int) -> list[str]:
    text = tw.worksheet(model, X, y).to_text(steps=node, width=1000)
    return [" ".join(line.split()) for line in text.splitlines()]


@pytest.mark.parametrize("method", SAID)
def test_the_estimate_of_a_leaf_is_worked_out(iris, method):
    X, y = iris
    rows = (X, y) if method == "error_based" else ()
    pruned = tw.prune(tw.CARTClassifier(prune=None).fit(X, y), method, *rows)
    lines = lines_of(pruned, X, y, 2)
    assert SAID[method] in lines
    assert any(line.endswith("the split was kept.") for line in lines)


def test_a_standard_error_lets_a_leaf_win(iris):
    X, y = iris
    pruned = tw.prune(tw.CARTClassifier(prune=None).fit(X, y), "pessimistic")
    lines = lines_of(pruned, X, y, 6)
    assert "subtree and standard error = 1.5000 + 1.0607 = 2.5607" in lines
    assert "* as a leaf 6 2 2.5000 2.5000" in lines
    assert (
        "Pruning compared corrected errors: as a leaf 2.5000, as a subtree 1.5000; "
        "it became a leaf." in lines
    )


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("error_based", {"subtree_raising": False}, "with a probability of 0.25"),
        ("pessimistic", {}, "plus 1 times its standard error"),
        ("minimum_error", {}, "its errors on new rows"),
        ("mdl", {}, "bits that encode the tree"),
        ("cost_complexity", {"alpha": 0.02}, "a penalty for each leaf"),
        ("critical_value", {"value": 0.05}, "reaches 0.05"),
    ],
)
def test_every_method_says_what_it_compares(iris, method, options, words):
    X, y = iris
    pruned = tw.prune(tw.CARTClassifier(prune=None).fit(X, y), method, **options)
    sheet = tw.worksheet(pruned, X, y)
    for text in (sheet.to_text(width=1000), sheet.to_text(steps="summary", width=1000)):
        assert words in text


def test_a_tree_that_was_not_pruned_says_nothing_of_it(iris):
    X, y = iris
    assert "Prun" not in tw.worksheet(tw.CARTClassifier(prune=None).fit(X, y), X, y).to_text()
