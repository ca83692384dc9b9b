"""Planted leaks are found, dated tables are noticed, and honest columns are left in peace."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from treewright.data.leaks import first_of_each, row_hashes

N = 400


def honest(seed=0):
    """Columns that help a little, classes and a number that depend on them, and a generator."""
    generator = np.random.default_rng(seed)
    age, income = generator.normal(40, 12, N), generator.lognormal(7, 0.5, N)
    risk = 0.03 * (age - 40) + generator.normal(0, 1, N)
    X = {
        "age": age.round(),
        "income": income.round(2),
        "home": generator.choice(["own", "rent", "other"], N),
        "score": (risk + generator.normal(0, 1, N)).round(3),
    }
    return X, np.where(risk > 0.3, "bad", "good"), 100 * risk + income, generator


def planted_among_classes():
    """Name -> (column that leaks a class, what the warning is about)."""
    _, y, _, generator = honest()
    bad = y == "bad"
    noise = generator.random(N)
    amount = np.where(bad, generator.uniform(100, 900, N), 0)
    outside = np.where(noise < 0.5, 0.1, 0.9) + noise / 50
    boat = generator.choice(list("abcdefg"), N)
    return {
        "copy": (y, "copy"),
        "copy in numbers": (bad * 1, "copy"),
        "copy in other words": (np.where(bad, "rejected", "accepted"), "copy"),
        "copy with 2 wrong": (np.where(np.arange(N) % 200 == 7, "good", y), "decides"),
        "threshold": (np.where(bad, 2000 + 499 * noise, 2500 + 999 * noise), "decides"),
        "threshold with gaps": (np.where(noise < 0.004, np.nan, bad + noise / 2), "decides"),
        "two codes for each class": (np.char.add(y, generator.choice(["1", "2"], N)), "decides"),
        "amount of the loss": (amount, "decides"),
        "between two limits": (np.where(bad, 0.4 + noise / 5, outside), "decides"),
        "known for the bad only": (np.where(bad & (noise < 0.6), noise, np.nan), "missing"),
        "missing for the bad only": (np.where(bad & (noise < 0.6), np.nan, noise), "missing"),
        "text for the bad only": (np.where(bad & (noise < 0.6), "called twice", None), "missing"),
        "boat": (np.where(bad ^ (noise < 0.004), boat, None), "decides"),
    }  # fmt: skip


def planted_among_numbers():
    """Name -> (column that leaks a number, what the warning is about)."""
    _, _, y, generator = honest()
    place = np.argsort(np.argsort(y))
    return {
        "copy": (y, "copy"),
        "other unit": (y * 1.17 - 20, "copy"),
        "logarithm": (np.log(y - y.min() + 1), "copy"),
        "rounded to whole numbers": (np.round(y), "decides"),
        "with a little noise": (y + generator.normal(0, 0.03 * y.std(), N), "decides"),
        "in classes of 40": (np.char.add("c", (place // 10).astype(str)), "decides"),
        "missing below the mean": (np.where(y < np.median(y), np.nan, 1.0), "missing"),
    }  # fmt: skip


CLASS_LEAKS, NUMBER_LEAKS = planted_among_classes(), planted_among_numbers()


def test_there_are_twenty():
    assert len(CLASS_LEAKS) + len(NUMBER_LEAKS) == 20


@pytest.mark.parametrize("name", CLASS_LEAKS)
def test_leaks_of_a_class_are_found(name):
    X, y, _, _ = honest()
    column, subject = CLASS_LEAKS[name]
    (found,) = tw.find_leaks({**X, "leak": column}, y)
    assert (found.subject, found.column) == (subject, "leak")
    assert found.flag == "--drop leak"
    assert "`leak`" in str(found)


@pytest.mark.parametrize("name", NUMBER_LEAKS)
def test_leaks_of_a_number_are_found(name):
    X, _, y, _ = honest()
    column, subject = NUMBER_LEAKS[name]
    (found,) = tw.find_leaks({**X, "leak": column}, y)
    assert (found.subject, found.column) == (subject, "leak")


@pytest.mark.parametrize("seed", range(5))
def test_honest_columns_are_left_in_peace(seed):
    X, classes, numbers, _ = honest(seed)
    assert len(tw.find_leaks(X, classes)) == 0
    assert len(tw.find_leaks(X, numbers)) == 0
    assert str(tw.find_leaks(X, numbers)) == "no leaks found"


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(20, 200), st.integers(2, 5))
def test_columns_of_chance_are_left_in_peace(seed, n_rows, n_classes):
    generator = np.random.default_rng(seed)
    number = np.where(generator.random(n_rows) < 0.3, np.nan, generator.normal(size=n_rows))
    X = {
        "number": number,
        "few": generator.integers(0, 3, n_rows).astype(str),
        "many": generator.integers(0, n_rows // 3, n_rows).astype(str),
    }
    y = generator.integers(0, n_classes, n_rows).astype(str)
    found = [one for one in tw.find_leaks(X, y) if one.subject != "id"]
    assert found == []


def test_the_order_of_the_rows_does_not_matter():
    X, y, _, _ = honest()
    X = {**X, "leak": CLASS_LEAKS["threshold"][0]}
    order = np.argsort(y, kind="stable")
    by_class = tw.find_leaks({name: column[order] for name, column in X.items()}, y[order])
    assert by_class.warnings == tw.find_leaks(X, y).warnings


def test_a_table_sorted_by_its_target_makes_no_leak_of_a_constant():
    y = np.sort(np.random.default_rng(0).normal(size=N))
    X = {"same": np.ones(N), "few": np.arange(N) % 7.0}
    assert len(tw.find_leaks(X, y)) == 0


def test_sentences_name_the_column_the_figure_and_the_target():
    X, y, _, _ = honest()
    found = tw.find_leaks({**X, "b w t": CLASS_LEAKS["threshold"][0]}, y, target="low")
    (leak,) = found
    assert leak.for_command == (
        "`b w t` alone predicts `low` (correct in 100 % of the rows, guessing in 63 %): is it "
        "known before `low` is? (--drop 'b w t' leaves it out)"
    )
    assert str(leak).endswith("; leave `b w t` out of X")


def test_the_name_of_a_series_is_the_name_of_the_target():
    X, y, _, _ = honest()
    (found,) = tw.find_leaks({**X, "leak": y}, pd.Series(y, name="paid"))
    assert "is a copy of `paid`" in found.sentence


# ---------------------------------------------------------------------------- ids


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("x", np.arange(N)),
        ("x", np.random.default_rng(0).permutation(N) + 1000),
        ("customer_id", np.random.default_rng(0).permutation(10_000)[:N]),
        ("CustomerId", np.random.default_rng(0).permutation(10_000)[:N]),
        ("id", np.random.default_rng(0).permutation(10_000)[:N]),
        ("x", [f"person {row}" for row in range(N)]),
    ],
)
def test_ids_are_found(name, ids):
    X, y, _, _ = honest()
    (found,) = tw.find_leaks({**X, name: ids}, y)
    assert (found.subject, found.column) == ("id", name)


@pytest.mark.parametrize("name", ["weight", "paid", "grid", "amount"])
def test_numbers_that_happen_to_differ_are_no_ids(name):
    X, y, _, _ = honest()
    numbers = np.random.default_rng(0).permutation(10_000)[:N]
    assert len(tw.find_leaks({**X, name: numbers}, y)) == 0


# ---------------------------------------------------------------------------- groups


def patients(n_groups=80, size=5, same=0.9):
    """Several rows of each patient, who mostly have the same class."""
    generator = np.random.default_rng(0)
    patient = np.repeat(np.arange(n_groups), size)
    ill = generator.random(n_groups) < 0.5
    y = np.where(
        generator.random(len(patient)) < same, ill[patient], generator.random(len(patient)) < 0.5
    )
    return {"pulse": generator.normal(80, 9, len(patient)), "patient": patient}, y


@pytest.mark.parametrize("as_text", [False, True])
def test_groups_that_share_their_target_are_found(as_text):
    X, y = patients()
    if as_text:
        X["patient"] = np.char.add("P", X["patient"].astype(str))
    (found,) = tw.find_leaks(X, y)
    assert (found.subject, found.column) == ("groups", "patient")
    assert found.flag == "--groups patient"
    assert 0.7 < found.figure < 0.95


def test_groups_of_a_number_are_found_by_their_correlation():
    X, _ = patients()
    generator = np.random.default_rng(1)
    y = generator.normal(0, 3, 80)[X["patient"]] + generator.normal(0, 1, 400)
    (found,) = tw.find_leaks(X, y)
    assert (found.subject, found.column) == ("groups", "patient")
    assert found.figure == pytest.approx(0.9, abs=0.05)


def test_groups_that_share_nothing_are_left_in_peace():
    X, _ = patients()
    assert len(tw.find_leaks(X, np.random.default_rng(1).random(400) < 0.5)) == 0


# ---------------------------------------------------------------------------- dates

DAYS = np.datetime64("2015-03-01") + np.arange(N)
DATED = {
    "days": ("when", DAYS),
    "minutes": ("when", DAYS.astype("datetime64[m]") + np.arange(N) * np.timedelta64(1, "m")),
    "nanoseconds": ("seen", DAYS.astype("datetime64[ns]")),
    "several rows a day": ("day", np.repeat(DAYS[: N // 4], 4)),
    "text": ("date", DAYS.astype(str)),
    "years": ("Year", 1990 + np.arange(N) // 20),
    "fractions of years": ("date", 1990 + np.arange(N) / 20),
    "days as whole numbers": ("date", np.char.replace(DAYS.astype(str), "-", "").astype(int)),
    "seconds since 1970": ("timestamp", DAYS.astype("datetime64[s]").astype(np.int64)),
    "milliseconds since 1970": ("timeStamp", DAYS.astype("datetime64[ms]").astype(np.int64)),
}


def read_again(X, tmp_path):
    """The columns as a CSV file has them."""
    path = tmp_path / "t.csv"
    pd.DataFrame(X).to_csv(path, index=False)
    return tw.read_table(path)


@pytest.mark.parametrize("kind", DATED)
def test_dated_tables_are_noticed(kind, tmp_path):
    name, times = DATED[kind]
    X, y, _, _ = honest()
    table = read_again({**X, name: times}, tmp_path)
    dated = [one for one in tw.find_leaks(table, y) if one.subject == "date"]
    assert [one.column for one in dated] == [name]
    assert dated[0].flag == f"--times {name}"
    assert 'times=X["' in str(dated[0])


def test_there_are_ten_dated_tables():
    assert len(DATED) == 10


def test_months_and_days_of_one_year_are_dates():
    X, y, _, _ = honest()
    X = {
        **X,
        "year": np.full(N, 2013),
        "month": 1 + np.arange(N) // 40,
        "day": 1 + np.arange(N) % 28,
    }
    (found,) = tw.find_leaks(X, y)
    assert (found.subject, found.column) == ("date", "month")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("date_of_birth", DAYS),
        ("year", np.arange(N) % 2),
        ("year_built", 1900 + np.arange(N) % 100),
        ("date", np.repeat(DAYS[:2], N // 2)),
    ],
)
def test_other_dates_do_not_date_the_rows(name, values):
    X, y, _, _ = honest()
    assert len(tw.find_leaks({**X, name: values}, y)) == 0


# ---------------------------------------------------------------------------- duplicate rows


def test_copies_of_rows_are_counted():
    X, y, _, _ = honest()
    rows = np.concatenate([np.arange(N), np.arange(40)])
    X, y = {name: column[rows] for name, column in X.items()}, y[rows]
    (found,) = tw.find_leaks(X, y)
    assert (found.subject, found.column, found.flag) == ("duplicates", "", "--drop-duplicates")
    assert found.sentence.startswith("40 of 440 rows (9.1 %) are exact duplicates")


def test_equal_rows_of_few_categories_are_no_news():
    generator = np.random.default_rng(0)
    X = {name: generator.choice(["u", "v"], N) for name in "abc"}
    assert len(tw.find_leaks(X, generator.choice(["x", "y"], N))) == 0


@given(st.lists(st.tuples(*[st.sampled_from([0.0, -0.0, 1.5, None])] * 2, st.sampled_from("xyz"))))
def test_the_first_of_equal_rows_is_kept(rows):
    if not rows:
        return
    a, b, y = zip(*rows, strict=True)
    table = tw.table_from({"a": np.array(a, dtype=float), "b": np.array(b, dtype=float)})
    target = tw.table_from({"y": list(y)})["y"]
    seen, expected = set(), []
    for at, row in enumerate(rows):
        key = tuple(value + 0.0 if isinstance(value, float) else value for value in row)
        if key not in seen:
            expected.append(at)
        seen.add(key)
    assert first_of_each(table, target).tolist() == expected
    assert len(set(row_hashes(table, target).tolist())) == len(expected)


# ---------------------------------------------------------------------------- odd tables


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ({"a": [None] * 30}, ["x", "y"] * 15),
        ({"a": [1.0] * 30}, ["x"] * 30),
        ({"a": [np.inf, -np.inf, 1.0] * 10}, [1.0, 2.0, 3.0] * 10),
        ({"a": [1.0]}, ["x"]),
        ({"a": np.arange(300.0)}, [f"class {row // 2}" for row in range(300)]),
        ({"a": [1e308, -1e308] * 15}, np.arange(30.0)),
        ({"a": ["x", None] * 15}, [1e300, -1e300] * 15),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_odd_tables_give_an_answer(X, y):
    assert isinstance(str(tw.find_leaks(X, y)), str)
