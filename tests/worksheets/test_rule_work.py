"""The worksheet of C45Rules: its own rules, and every number of how they were found recounted."""

import math
import random
import re
from collections import Counter

import pytest

import treewright as tw
from treewright.documents.page import Heading, Listing, SheetTable
from treewright.errors import DataError
from treewright.intervals import pessimistic_rate

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
DECIMALS = 9


def made(seed, n_rows=160, missing=0.0, noise=0.2):
    rng = random.Random(seed)
    rows, y = [], []
    for _ in range(n_rows):
        row = {f"cell {name}": rng.choice("xob") for name in "abc"}
        row["age"] = float(rng.randint(18, 80))
        label = "yes" if row["cell a"] == row["cell b"] or row["age"] > 66 else "no"
        label = "old" if row["age"] > 75 else label
        y.append(label if rng.random() > noise else rng.choice(["yes", "no"]))
        rows.append({name: None if rng.random() < missing else row[name] for name in row})
    return rows, y


TABLES = {
    "plain": lambda: made(1),
    "with missing values": lambda: made(2, missing=0.1),
    "noise": lambda: made(3, noise=0.6),
    "clean": lambda: made(4, noise=0.0),
}


def holds(text, row):
    """Whether a row fulfills conditions as the page writes them; missing values fulfill none."""
    return all(one_holds(part, row) for part in text.split(" and ")) if text != "always" else True


def one_holds(text, row):
    if found := re.fullmatch(r"(\S+) < (.+) <= (\S+)", text):
        low, name, high = found.groups()
        return row[name] is not None and float(low) < row[name] <= float(high)
    if found := re.fullmatch(r"(.+) (<=|>) (\S+)", text):
        name, sign, bound = found.groups()
        value = row[name]
        return value is not None and (value <= float(bound)) == (sign == "<=")
    name, level = re.fullmatch(r"(.+) = (\S+)", text).groups()
    return row[name] == level


class Sections:
    """The tables of each section of a page."""

    def __init__(self, document):
        self.tables, heading, self.listing = {}, "", {}
        for block in document.blocks:
            if isinstance(block, Heading):
                heading = block.text
            elif isinstance(block, SheetTable):
                self.tables.setdefault(heading, []).append(block)
            elif isinstance(block, Listing):
                self.listing[heading] = block.text


def page(model, X, y):
    return Sections(tw.worksheet(model, X, y).document(decimals=DECIMALS, max_nodes=1))


def log2_choose(total, chosen):
    return math.log2(math.comb(round(total), round(chosen)))


@pytest.mark.parametrize("table", TABLES)
def test_every_dropped_condition_is_recounted(table):
    X, y = TABLES[table]()
    model = tw.C45Rules().fit(X, y)
    sections = page(model, X, y)
    n_checked = 0
    (paths,) = sections.tables["1. Paths become rules"]
    for row in paths.rows:
        *_, prediction, rule, rows, error, became = row
        if rule:
            covered = [label for one, label in zip(X, y, strict=True) if holds(rule, one)]
            assert float(rows) == len(covered)
            wrong = len(covered) - covered.count(prediction)
            assert float(error) == pytest.approx(pessimistic_rate(len(covered), wrong, 0.25))
        elif became.startswith("another class"):
            continue
        n_checked += 1
    by_path = {f"The path to node {row[0]}, class {row[2]}": row for row in paths.rows}
    for title, row in by_path.items():
        left = row[1].split(" and ") if row[1] != "always" else []
        for step in sections.tables.get(title, ()):
            lines = {line[0]: line for line in step.rows}
            for what, covers, errors, error in lines.values():
                kept = [one for one in split(left) if what != f"without {one}"]
                covered = [label for one, label in zip(X, y, strict=True) if fulfills(kept, one)]
                assert float(covers) == len(covered)
                wrong = len(covered) - covered.count(row[2])
                assert float(errors) == wrong
                assert float(error) == pytest.approx(pessimistic_rate(len(covered), wrong, 0.25))
                n_checked += 1
            best = min(float(line[3]) for line in step.rows[1:])
            if step.marked:
                (at,) = step.marked
                assert float(step.rows[at][3]) == best <= float(step.rows[0][3]) + 1e-9
                left = [one for one in split(left) if step.rows[at][0] != f"without {one}"]
            else:
                assert best > float(step.rows[0][3]) - 1e-9
        if title in sections.tables and row[3]:
            assert fulfilled(left, X) == fulfilled(row[3].split(" and "), X)
    assert n_checked > 20


def split(conditions):
    """The parts that can be dropped: two bounds of one column are two."""
    for text in conditions:
        found = re.fullmatch(r"(\S+) < (.+) <= (\S+)", text)
        if found:
            low, name, high = found.groups()
            yield from (f"{name} > {low}", f"{name} <= {high}")
        else:
            yield text


def fulfills(conditions, row):
    return all(one_holds(text, row) for text in conditions)


def fulfilled(conditions, X):
    return [at for at, row in enumerate(X) if fulfills(conditions, row)]


@pytest.mark.parametrize("table", TABLES)
def test_the_bits_of_every_subset_are_recounted(table):
    X, y = TABLES[table]()
    sections = page(tw.C45Rules().fit(X, y), X, y)
    n_checked = 0
    for label in sorted(set(y)):
        if f"Class {label}" not in sections.tables:
            continue
        candidates, changes = sections.tables[f"Class {label}"]
        chosen = dict.fromkeys(row[0] for row in candidates.rows)
        texts = {row[0]: row[1] for row in candidates.rows}
        bits = {row[0]: float(row[4]) for row in candidates.rows}
        totals = []
        for what, n_rules, *numbers in changes.rows:
            word, _, name = what.partition(" ")
            if word == "without":
                del chosen[name]
            elif word == "with":
                chosen[name] = None
            covered = [any(holds(texts[one], row) for one in chosen) for row in X]
            pairs = list(zip(covered, y, strict=True))
            n_covered = sum(covered)
            wrong = sum(is_in and one != label for is_in, one in pairs)
            left_out = sum(not is_in and one == label for is_in, one in pairs)
            rules = 0.5 * (
                sum(bits[one] for one in chosen) - math.log2(math.factorial(len(chosen)))
            )
            exceptions = log2_choose(n_covered, wrong) + log2_choose(len(y) - n_covered, left_out)
            expected = [n_covered, wrong, left_out, rules, exceptions, rules + exceptions]
            assert int(n_rules) == len(chosen)
            assert [float(one) for one in numbers] == pytest.approx(expected, abs=1e-6)
            totals.append(expected[-1])
            n_checked += 1
        assert totals == sorted(totals, reverse=True)
        kept = {candidates.rows[at][0] for at in candidates.marked}
        assert kept == set(chosen)
    assert n_checked > 2


@pytest.mark.parametrize("table", TABLES)
def test_the_order_of_the_classes_is_recounted(table):
    X, y = TABLES[table]()
    sections = page(tw.C45Rules().fit(X, y), X, y)
    rules = {}
    for label in set(y):
        if f"Class {label}" in sections.tables:
            candidates = sections.tables[f"Class {label}"][0]
            rules[label] = [candidates.rows[at][1] for at in candidates.marked]
    (turns,) = sections.tables["3. The order of the classes"]
    left = set(range(len(y)))
    for at, (_, label, covers, wrong) in enumerate(turns.rows):
        own = {row for row in left if any(holds(text, X[row]) for text in rules[label])}
        assert int(covers) == len(own)
        assert int(wrong) == sum(y[row] != label for row in own)
        if at in turns.marked:
            taken = own
        if at + 1 == len(turns.rows) or turns.rows[at + 1][0] != turns.rows[at][0]:
            left -= taken


def test_the_page_lists_the_rules_of_the_model_and_not_the_paths_of_its_tree():
    X, y = made(1)
    model = tw.C45Rules().fit(X, y)
    sections = page(model, X, y)
    assert "As rules" not in sections.listing
    expected = model.rules_.to_text().split("\n\n")[0]
    assert sections.listing["The rules"] == expected
    stored = Sections(tw.worksheet(model).document())
    assert stored.listing["The rules"] == expected


def test_removed_rules_save_the_errors_that_the_page_says():
    """Without the dropped rules the list makes as many fewer errors as the page adds up."""
    for seed in range(40):
        X, y = made(seed, n_rows=120, noise=0.5)
        model = tw.C45Rules(min_samples_leaf=1).fit(X, y)
        sections = page(model, X, y)
        if "4. Harmful rules" not in sections.tables:
            continue
        (removed,) = sections.tables["4. Harmful rules"]
        names = Counter(row[0] for row in removed.rows)
        assert all(name.startswith("rule of node") for name in names)
        assert all(float(row[2]) > 0 for row in removed.rows)
        break
    else:
        pytest.fail("no table had a rule that does harm")
    kept = []  # all rules that were chosen, in order of classes and of pessimistic error
    order = sections.tables["3. The order of the classes"][0]
    (paths,) = sections.tables["1. Paths become rules"]
    error_of = {row[3]: (float(row[5]), -float(row[4])) for row in paths.rows if row[3]}
    for at in sorted(order.marked):
        label = order.rows[at][1]
        candidates = sections.tables[f"Class {label}"][0]
        own = [candidates.rows[one][1] for one in sorted(candidates.marked)]
        kept += [(text, label) for text in sorted(own, key=error_of.__getitem__)]

    def errors(rules):
        fired = [next((one for text, one in rules if holds(text, row)), None) for row in X]
        rest = Counter(label for label, one in zip(y, fired, strict=True) if one is None)
        by_default = sum(rest.values()) - max(rest.values(), default=0)
        pairs = zip(y, fired, strict=True)
        return by_default + sum(one is not None and one != label for label, one in pairs)

    texts = {row[1] for row in removed.rows}
    after = [(text, label) for text, label in kept if text not in texts]
    saved = sum(float(row[2]) for row in removed.rows)
    assert errors(kept) - errors(after) == saved


def test_other_rows_are_refused():
    X, y = made(1)
    model = tw.C45Rules().fit(X, y)
    shuffled = list(y)
    random.Random(0).shuffle(shuffled)
    with pytest.raises(DataError, match="not the training rows"):
        tw.worksheet(model, X, shuffled).to_text()


@pytest.mark.parametrize("params", [{"simple": True}, {"prune": True}, {"confidence": 0.1}])
def test_all_forms_of_a_page_are_written(params):
    X, y = made(1)
    sheet = tw.worksheet(tw.C45Rules(**params).fit(X, y), X, y)
    for text in (sheet.to_text(), sheet.to_html(), sheet.to_latex(), sheet.to_markdown()):
        assert "Paths become rules" in text
    weights = [1 + at % 3 for at in range(len(y))]
    model = tw.C45Rules(**params).fit(X, y, sample_weight=weights)
    assert "The rules" in tw.worksheet(model, X, y, weights).to_text(steps="summary")
