"""`treewright impute` and `treewright discretize`: only what changes is written anew."""

import json

import pytest

PEOPLE = """id,age,town,since,ok
007,20,Ulm,2020-01-01,yes
008,,Ulm,2020-01-03,no
009,1.50,,,yes
010,30,=Rom,2020-01-05,
"""
FILLED = """id,age,town,since,ok
007,20,Ulm,2020-01-01,yes
008,17.166666666666668,Ulm,2020-01-03,no
009,1.50,Ulm,2020-01-03,yes
010,30,'=Rom,2020-01-05,
"""


@pytest.fixture
def people(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE)
    return tmp_path


def test_only_holes_are_filled_and_the_target_is_left_alone(treewright, people):
    run = treewright("impute", "people.csv", "-t", "ok", "--out", "filled.csv")
    assert run.code == 0, run.err
    assert (people / "filled.csv").read_text() == FILLED
    assert "4 rows written to filled.csv" in run.err
    assert "age     1        17.1667" in run.out
    raw = treewright("impute", "people.csv", "--out", "-", "--raw")
    assert "010,30,=Rom,2020-01-05,yes" in raw.out


def test_without_a_file_the_holes_are_told(treewright, people):
    run = treewright("impute", "people.csv", "--strategy", "median")
    assert run.out.splitlines() == [
        "column  missing  filled with",
        "age     1        20",
        "town    1        Ulm",
        "since   1        2020-01-03",
        "ok      1        yes",
    ]
    assert "--out FILE" in run.err
    assert treewright("impute", "tennis").out == "no values are missing\n"


def test_rows_are_filled_by_class_and_marked(treewright, tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,a\n3,a\n,a\n10,b\n,b\n")
    run = treewright("impute", "t.csv", "-t", "y", "--by-class", "--add-indicator", "-o", "-")
    assert run.out.splitlines() == [
        "x,y,x is missing",
        "1,a,0",
        "3,a,0",
        "2,a,1",
        "10,b,0",
        "10,b,1",
    ]
    told = treewright("impute", "t.csv", "-t", "y", "--by-class").out
    assert told.splitlines()[1].split() == ["x", "2", "4.66667", "2", "10"]


def test_a_table_is_filled_by_what_another_one_says(treewright, tmp_path):
    (tmp_path / "train.csv").write_text("x,w,y\n1,u,a\n3,u,b\n")
    (tmp_path / "test.csv").write_text("w,x\n,5\nv,\n")
    run = treewright("impute", "test.csv", "--from", "train.csv", "-t", "y", "-o", "-")
    assert run.out == "w,x\nu,5\nv,2\n"
    (tmp_path / "other.csv").write_text("w\nu\n")
    run = treewright("impute", "other.csv", "--from", "train.csv", "-t", "y", "-o", "-")
    assert run.code == 4
    assert "lacks `x`" in run.err


def test_constants_are_words_numbers_or_objects(treewright, people):
    words = treewright("impute", "people.csv", "--strategy", "constant", "--fill-value", "?")
    assert "town    1        ?" in words.out
    assert "age     1        -" in words.out
    by_name = '{"age": 0, "town": "none"}'
    named = treewright("impute", "people.csv", "--strategy", "constant", "--fill-value", by_name)
    assert "age     1        0" in named.out


def test_columns_are_cut_and_others_keep_their_letters(treewright, people):
    words = ("discretize", "people.csv", "--strategy", "given", "--cut-points", '{"age": [10]}')
    run = treewright(*words, "--out", "-")
    assert run.out.splitlines()[1:3] == [
        '007,"(10, inf)",Ulm,2020-01-01,yes',
        "008,,Ulm,2020-01-03,no",
    ]
    told = treewright(*words)
    assert told.out.splitlines()[1] == "age     1     (-inf, 10]  (10, inf)"


def test_the_calculation_of_the_cuts_is_written_in_any_form(treewright, tmp_path):
    run = treewright("discretize", "iris", "--worksheet", "cuts.html")
    assert run.code == 0
    assert "<math" in (tmp_path / "cuts.html").read_text()
    assert "petal width   2     (-inf, 0.8]" in run.out
    assert "is kept" in treewright("discretize", "iris", "--worksheet", "-").out


def test_cuts_of_another_table_are_used(treewright, tmp_path):
    (tmp_path / "new.csv").write_text(
        "petal width,sepal width,petal length,sepal length\n1,1,1,9\n"
    )
    run = treewright("discretize", "new.csv", "--from", "iris", "-o", "-")
    assert run.out.splitlines()[1].startswith('"(0.8, 1.75]","(-inf, 2.95]"')
    facts = json.loads(treewright("discretize", "iris", "--json").out)
    assert facts["columns"][3]["cuts"] == [0.8, 1.75]


def test_rows_without_a_class_are_told_with_a_way_out(treewright, people):
    run = treewright("impute", "people.csv", "-t", "ok", "--by-class")
    assert run.code == 3
    assert "target `ok` is missing in 1 of 4 rows of people.csv" in run.err
    assert "WHERE ok IS NOT NULL" in run.err
    assert treewright("discretize", "people.csv", "-t", "ok").code == 3
    words = ("discretize", "people.csv", "-t", "ok", "--strategy", "kmeans", "--n-bins", "2")
    assert "(-inf, " in treewright(*words, "--worksheet", "-").out


def test_numbers_are_no_classes(treewright, tmp_path):
    rows = "".join(f"{at % 7},{at},{at % 11}\n" for at in range(300))
    (tmp_path / "n.csv").write_text("x,price,kind\n,0,0\n" + rows)
    for command in (("impute", "--by-class"), ("discretize",)):
        run = treewright(command[0], "n.csv", *command[1:], "-t", "price")
        assert run.code == 2
        assert "numeric with 300 different values: these are not classes" in run.err
    run = treewright("impute", "n.csv", "--by-class", "-t", "kind")
    assert "11 classes have different values" in run.err
    assert run.out.splitlines()[0] == "column  missing  filled with"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("impute", "people.csv", "--by-class"), "give it as --target COLUMN"),
        (("impute", "people.csv", "--by-class", "--from", "people.csv"), "leave out --by-class"),
        (("impute", "people.csv", "--fill-value", "1"), "--strategy constant"),
        (("impute", "people.csv", "-t", "okk"), "did you mean `ok`"),
        (("discretize", "people.csv"), "give the class column as --target COLUMN"),
        (("discretize", "people.csv", "--strategy", "given"), "given needs --cut-points"),
        (("discretize", "people.csv", "--strategy", "given", "--cut-points", "{"), "is not JSON"),
        (
            ("discretize", "people.csv", "--strategy", "given", "--cut-points", '{"agee": [1]}'),
            "did you mean `age`",
        ),
    ],
)
def test_mistakes_are_told_with_a_way_out(treewright, people, words, message):
    run = treewright(*words)
    assert run.code == 2
    assert message in run.err
    assert "Traceback" not in run.err
