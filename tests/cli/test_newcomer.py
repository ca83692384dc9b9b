"""A newcomer's hour: tables as people have them, from CSV to report, without any setting."""

import json
import random

import pytest
from benchmarks.newcomers_hour import STEPS

import treewright as tw

YES_NO = {True: "yes", False: "no"}


def rows_of_people(n_rows=120, seed=1):
    """(group, age, amount) of made-up people; those above 50 are to be told from the others."""
    chance = random.Random(seed)
    return [
        (chance.choice("abc"), chance.randint(18, 80), round(chance.uniform(1, 99), 2))
        for _ in range(n_rows)
    ]


def write(path, header, lines, encoding="utf-8", end="\n"):
    path.write_bytes(end.join([header, *lines, ""]).encode(encoding))


def like_titanic():
    """Ids, names, holes, and a target of 0 and 1."""
    return "Id,Name,Group,Age,Amount,Survived", [
        f"{at + 1},Person {at},{group},{age if at % 5 else ''},{amount},{int(age > 50)}"
        for at, (group, age, amount) in enumerate(rows_of_people())
    ]


def like_mushroom():
    """Words of one letter, no numbers."""
    return "cap,gill,odour,class", [
        f"{group},{'wide' if age % 2 else 'narrow'},{'fn'[age > 30]},{'ep'[age > 30]}"
        for group, age, _ in rows_of_people()
    ]


def like_ames():
    """Numbers to predict, many columns, holes that mean none."""
    names = [f"Area.{at}" for at in range(12)]
    return ",".join([*names, "Zone", "Alley", "price"]), [
        ",".join(str((age * (at + 3)) % 31) for at in range(12))
        + f",{group},{'' if age % 9 else 'Pave'},{1000 * age + 10 * amount:.0f}"
        for group, age, amount in rows_of_people()
    ]


def like_vote():
    """Yes, no and not there, about two parties."""
    return "tax,aid,crime,Class", [
        f"{'yn'[age > 50]},{'yn'[age % 2] if age % 7 else ''},{group},{'dr'[age > 50]}"
        for group, age, _ in rows_of_people()
    ]


def like_soybean():
    """Many classes, some of them rare, many columns that ask of them."""
    return "leaf,stem,root,class", [
        f"l{age % 5},s{age % 3},{'' if age % 11 == 0 else 'rot'},disease {age % 15}"
        for _, age, _ in rows_of_people(300)
    ]


TABLES = {
    "titanic": (like_titanic, "Survived"),
    "mushroom": (like_mushroom, "class"),
    "ames_housing": (like_ames, "price"),
    "vote": (like_vote, "Class"),
    "soybean": (like_soybean, "class"),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_hour_ends_well_with_tables_of_every_shape(treewright, tmp_path, name):
    make, target = TABLES[name]
    write(tmp_path / f"{name}.csv", *make())
    for step in STEPS:
        run = treewright(*step.format(table=name, target=target).split())
        assert run.code == 0, f"{step}: {run.err}"
        assert all(line.startswith(("note: ", "warning: ")) for line in run.err.splitlines()), (
            run.err
        )
        assert len(run.out.splitlines()) < 2000, step
    for made in (f"{name}.html", "tuned.html", f"{name}.svg", "answers.csv", "answer.py"):
        assert (tmp_path / made).stat().st_size > 0


def test_the_hour_ends_well_with_a_bundled_table(treewright, tmp_path):
    (tmp_path / "loans.csv").write_text(treewright("samples", "loans").out)
    for step in STEPS:
        run = treewright(*step.format(table="loans", target="repaid").split())
        assert run.code == 0, f"{step}: {run.err}"


@pytest.fixture
def people(tmp_path):
    write(tmp_path / "people.csv", *like_titanic())
    return "people.csv"


def test_a_target_is_summed_up_among_the_columns(treewright, people):
    run = treewright("columns", people, "--target", "Survived")
    assert run.out.splitlines()[-1] == "target `Survived`: 1 (64), 0 (56)"
    amounts = treewright("columns", people, "--target", "Amount").out.splitlines()[-1]
    assert "different values" in amounts
    many = treewright("columns", people, "--target", "Name").out.splitlines()[-1]
    assert many.endswith("(1), 112 other values")


def test_figures_on_as_many_rows_as_were_learned_from_carry_a_warning(treewright, people):
    treewright("train", people, "-t", "Survived", "--out", "m.json")
    run = treewright("evaluate", "m.json", people)
    assert "(run `treewright evaluate people.csv --target Survived --task" in run.err
    other = treewright("evaluate", "m.json", people, "--sql", "SELECT * FROM t LIMIT 60")
    assert "flatter" not in other.err


def test_tune_says_how_to_train_what_it_chose(treewright, people):
    run = treewright("tune", people, "-t", "Survived", "--grid", "min-samples-leaf=2,5")
    assert "flags to train it: --model c45 --min-samples-leaf" in run.err
    flags = run.err.strip().rpartition("train it: ")[2].split()
    assert treewright("train", people, "-t", "Survived", *flags).code == 0
    deep = treewright(
        "tune", people, "-t", "Survived", "--model", "cart", "--grid", "max-depth=none"
    )
    assert deep.err.endswith("--max-depth none\n")


def test_a_long_worksheet_is_a_summary_unless_asked_for(treewright):
    treewright("train", "loans", "--out", "m.json")
    short = treewright("worksheet", "m.json", "loans")
    assert "--steps full of all" in short.err
    full = treewright("worksheet", "m.json", "loans", "--steps", "full")
    assert "--steps full" not in full.err
    assert len(full.out) > 2 * len(short.out)
    treewright("train", "tennis", "--model", "id3", "--out", "small.json")
    assert "--steps" not in treewright("worksheet", "small.json", "tennis").err


def test_trees_of_numbers_are_pruned_by_what_they_cost(treewright, people):
    treewright("train", people, "-t", "Amount", "--out", "m.json")
    run = treewright("prune", "m.json", people)
    assert run.code == 0
    assert "cost_complexity: " in run.out


def test_rows_without_a_target_are_told_how_to_be_left_out(treewright, tmp_path):
    lines = [f"{age},{YES_NO[age > 50] if at % 9 else ''}" for at, (_, age, _) in rows_at()]
    write(tmp_path / "t.csv", "age,y", lines)
    run = treewright("train", "t.csv", "-t", "y")
    assert run.code == 3
    assert "target `y` is missing in 14 of 120 rows of t.csv" in run.err
    assert "hint: --drop-missing-target leaves these rows out" in run.err
    run = treewright("train", "t.csv", "-t", "y", "--drop-missing-target", "--out", "m.json")
    assert run.code == 0
    assert "note: left out: 14 of 120 rows, where `y` is missing" in run.err
    assert " of 106 rows)" in run.out


def test_every_command_that_needs_the_target_can_leave_rows_out(treewright, tmp_path):
    lines = [f"{age},{YES_NO[age > 50] if at % 9 else ''}" for at, (_, age, _) in rows_at()]
    write(tmp_path / "t.csv", "age,y", lines)
    left = ("-t", "y", "--drop-missing-target")
    assert treewright("train", "t.csv", *left, "--out", "m.json").code == 0
    for words in (
        ("evaluate", "t.csv", "--folds", "2"),
        ("evaluate", "m.json", "t.csv"),
        ("compare", "t.csv", "--folds", "2", "--model", "cart", "--model", "c45"),
        ("tune", "t.csv", "--folds", "2", "--grid", "max-depth=1,2"),
        ("prune", "m.json", "t.csv"),
        ("worksheet", "m.json", "t.csv"),
        ("explain", "m.json", "t.csv", "--neighbors", "t.csv"),
        ("report", "m.json", "t.csv", "--folds", "2", "--out", "page.html"),
    ):
        run = treewright(*words, *left)
        assert (run.code, words) == (0, words)
        assert run.err.count("left out: 14 of 120 rows, where `y` is missing") == 1


def test_levels_of_rows_that_are_left_out_are_no_levels(treewright, tmp_path):
    lines = [f"{'ab'[at % 2]},{YES_NO[at % 2]}" for at in range(20)]
    write(tmp_path / "t.csv", "word,y", [*lines, "c,"])
    assert "word = c" not in treewright("train", "t.csv", "-t", "y", "--drop-missing-target").out


def test_a_target_that_no_row_has_is_told(treewright, tmp_path):
    write(tmp_path / "t.csv", "x,y", ["1,", "2,", "3,"])
    run = treewright("train", "t.csv", "-t", "y", "--drop-missing-target")
    assert run.code == 3
    assert "target `y` is missing in 3 of 3 rows" in run.err


def rows_at():
    return list(enumerate(rows_of_people()))


def test_an_odd_target_is_doubted(treewright, people, tmp_path):
    run = treewright("train", people, "-t", "Name")
    assert "target `Name` has 120 different values in 120 rows: is it the right column?" in run.err
    write(tmp_path / "one.csv", "x,y", [f"{age},yes" for _, age, _ in rows_of_people()])
    run = treewright("train", "one.csv", "-t", "y")
    assert "target `y` has the same value in all rows: there is nothing to learn" in run.err
    assert run.code == 0


def test_names_in_other_capitals_are_near(treewright, people):
    assert "did you mean `Survived`?" in treewright("train", people, "-t", "SURVIVED").err


def test_a_wide_table_is_not_counted_up(treewright, tmp_path):
    names = [f"column {at}" for at in range(300)]
    lines = [",".join(str((at * step) % 7) for step in range(300)) for at in range(30)]
    write(tmp_path / "wide.csv", ",".join(names), lines)
    run = treewright("train", "wide.csv")
    assert run.code == 2
    assert run.err.endswith("column 18, column 19 and 280 others\n")
    facts = json.loads(treewright("train", "wide.csv", "-t", "column 3", "--json").out)
    assert facts["n_rows"] == 30


def test_a_windows_file_is_read_as_it_is(treewright, tmp_path):
    lines = [
        f"{group};{age};{str(amount).replace('.', ',')};{YES_NO[age > 50]}"
        for group, age, amount in rows_of_people()
    ]
    write(tmp_path / "win.csv", "Gruppe;Alter;Betrag;Zusage", lines, "utf-8-sig", "\r\n")
    run = treewright("train", "win.csv", "-t", "Zusage", "-q")
    assert run.err == ""
    assert "2 leaves, depth 1; training accuracy 100.0 % (120 of 120 rows)" in run.out
    kinds = {
        line["name"]: line["kind"]
        for line in json.loads(treewright("columns", "win.csv", "--json").out)
    }
    assert kinds == {
        "Gruppe": "nominal",
        "Alter": "numeric",
        "Betrag": "numeric",
        "Zusage": "nominal",
    }


def test_a_tree_without_a_split_is_spoken_of(treewright, tmp_path):
    write(tmp_path / "t.csv", "x,y", ["1,a", "1,b"] * 10)
    assert "note: no split was good enough" in treewright("train", "t.csv", "-t", "y").err


def test_a_tree_that_is_pruned_to_a_leaf_is_not_said_to_have_no_split(treewright, tmp_path):
    pick = random.Random(0)
    lines = [f"{pick.random():.3f},{pick.choice('ab')}" for _ in range(80)]
    write(tmp_path / "t.csv", "x,y", lines)
    run = treewright("train", "t.csv", "-t", "y", "--model", "cart")
    assert "pruning cut the tree from " in run.err
    assert "leaves to one: one prediction for all rows" in run.err
    assert "no split was good enough" not in run.err


def test_rules_are_counted_as_rules(treewright):
    run = treewright("train", "loans", "--model", "c45rules")
    n_rules = sum(line.startswith("R") for line in run.out.splitlines())
    assert run.out.splitlines()[-2].startswith(f"{n_rules} rules; ")


def test_long_footnotes_on_missing_values_are_left_out_unless_asked_for(treewright):
    treewright("train", "loans", "--model", "cart", "--prune", "none", "--out", "m.json")
    short = treewright("rules", "m.json")
    assert "note: --missing explains missing values, in " in short.err
    assert short.out.endswith("\nWhat missing values do is left out here.\n")
    assert "[a]" not in short.out
    full = treewright("rules", "m.json", "--missing")
    assert full.err == ""
    assert full.out == tw.rules(tw.load("m.json")).to_text() + "\n"
    treewright("train", "tennis", "--model", "id3", "--out", "small.json")
    assert "A missing value fulfills no condition." in treewright("rules", "small.json").out
    silent = treewright("rules", "small.json", "--no-missing")
    assert "A missing value" not in silent.out


def test_rules_are_not_compared_on_many_rows_unless_asked_for(treewright, tmp_path):
    rows = [f"{at % 7},{at % 5},{'no' if at % 35 < 15 else 'yes'}" for at in range(10_001)]
    write(tmp_path / "t.csv", "x,z,y", rows)
    run = treewright("compare", "t.csv", "-t", "y", "--folds", "2")
    assert "c45rules takes minutes on 10,001 rows and is left out" in run.err
    assert "c45rules" not in run.out
    assert "c45rules" in treewright("compare", "loans", "--folds", "2").out


def test_pruning_without_rows_says_how_to_give_them(treewright, people):
    treewright("train", people, "-t", "Amount", "--out", "m.json")
    run = treewright("prune", "m.json")
    assert run.code == 2
    assert "method `cost_complexity` needs rows: treewright prune MODEL TABLE" in run.err
    assert treewright("prune", "m.json", "--option", "alpha=10").code == 0


def test_a_saved_model_is_not_judged_by_rows_without_a_target(treewright, people, tmp_path):
    treewright("train", people, "-t", "Survived", "--out", "m.json")
    lines = (tmp_path / people).read_text().splitlines()
    lines[3] = lines[3].rpartition(",")[0] + ","
    (tmp_path / "holes.csv").write_text("\n".join(lines) + "\n")
    for words in (["evaluate", "m.json", "holes.csv"], ["prune", "m.json", "holes.csv"]):
        run = treewright(*words)
        assert run.code == 3
        assert "target `Survived` is missing in 1 of 120 rows of holes.csv" in run.err


def test_explain_says_which_row_it_is_and_what_is_known_of_it(treewright, people):
    treewright("train", people, "-t", "Survived", "--out", "m.json")
    known = treewright("explain", "m.json", people, "--row", "2")
    assert "note: row 2 of people.csv, whose `Survived` is " in known.err
    new = treewright("explain", "m.json", people, "--drop", "Survived")
    assert "note: row 0 of people.csv (--row chooses another)" in new.err


@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_dates_that_are_taken_as_text_are_told(treewright, tmp_path, command):
    days = [f"{number % 12 + 1}/{number % 11 + 1}/2011" for number in range(40)]
    write(tmp_path / "t.csv", "day,y", [f"{day},{n % 40 % 2}.5" for n, day in enumerate(days * 3)])
    grown = ("--max-depth", "1", "--prune", "none")
    run = treewright(command, "t.csv", "-t", "y", "--task", "regression", *grown)
    assert "may be 2011-01-12 or 2011-12-01, and no cell settles it" in run.err
    assert "give --column day=day-first or --column day=month-first" in run.err
    if command == "train":
        assert max(map(len, run.out.splitlines())) < 200
        assert "sets of more than 12 categories are shortened" in run.err
