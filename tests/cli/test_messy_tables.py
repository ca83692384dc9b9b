"""Twelve tables as people keep them: `train` gives a sensible tree without a flag, or says why not.

Each table hides one rule. The tree must find it, and print it in the table's own format.
"""

import numpy as np
import pytest

N = 60


def table(header: str, *columns: list[str], delimiter: str = ",") -> str:
    """Columns as the text of a file; cells that hold the delimiter are quoted."""
    rows = [
        delimiter.join(f'"{cell}"' if delimiter in cell else cell for cell in row)
        for row in zip(*columns, strict=True)
    ]
    return "\n".join([header, *rows, ""])


def shuffled(seed: int, n: int = N) -> list[int]:
    return np.random.default_rng(seed).permutation(n).tolist()


def days(seed: int) -> list[np.datetime64]:
    start = np.datetime64("2019-01-01")
    return [start + np.timedelta64(11 * at, "D") for at in shuffled(seed)]


def parts(day: np.datetime64) -> tuple[int, int, int]:
    year, month, date = str(day).split("-")
    return int(year), int(month), int(date)


def american_salaries() -> str:
    pay = [31_508 + 1_750 * at for at in shuffled(1)]
    rate = [f"{at / 2}%" for at in shuffled(2)]
    left = ["yes" if dollars <= 61_258 else "no" for dollars in pay]
    cells = [f"${dollars:,}" for dollars in pay]
    cells[7], cells[21] = "N/A", "unknown"
    names = [f"{chr(65 + at % 26)}. Smith {at}" for at in range(N)]
    return table("name,salary,rate,left", names, cells, rate, left)


def german_orders() -> str:
    euros = [990.5 + 52 * at for at in shuffled(3)]
    paid = ["ja" if amount <= 2_030.5 else "Nein" for amount in euros]
    paid[4] = paid[4].lower()
    text = [f"{amount:,.2f} €".translate(str.maketrans(",.", ".,")) for amount in euros]
    ordered = ["{2:02}.{1:02}.{0}".format(*parts(day)) for day in days(4)]
    text[5], ordered[6] = "k.A.", "-"
    return table("betrag;bestellt;bezahlt", text, ordered, paid, delimiter=";")


def french_rents() -> str:
    rent = [640 + 35 * at for at in shuffled(5)]
    share = [f"{at},5 %" for at in shuffled(6)]
    taken = ["oui" if euros <= 1_340 else "non" for euros in rent]
    return table(
        "loyer,part,pris", [f"{euros:,}".replace(",", "\u00a0") for euros in rent], share, taken
    )


def accounts() -> str:
    result = [(at - 30) * 151 for at in shuffled(7)]
    audit = ["yes" if amount <= -1_510 else "no" for amount in result]
    cells = [f"({-amount:,})" if amount < 0 else f"{amount:,}" for amount in result]
    cells[3] = "-"
    return table("result,branch,audit", cells, ["North", "South"] * (N // 2), audit)


def measured_patients() -> str:
    kilos = [48 + at for at in shuffled(8)]
    ill = ["yes" if weight > 84 else "no" for weight in kilos]
    fever = [f"{36 + at / 20:.1f} °C" for at in shuffled(9)]
    years = [f"{at + 1} year{'s' if at else ''}" for at in shuffled(10)]
    return table("weight,fever,age,ill", [f"{k} kg" for k in kilos], fever, years, ill)


def exported_sheet() -> str:
    margin = [at - 10 for at in shuffled(11)]
    keep = ["TRUE" if percent > 12 else "FALSE" for percent in margin]
    cells = [f"{percent}%" for percent in margin]
    cells[2], cells[9] = "#DIV/0!", "#N/A"
    month = [f"{['Jan', 'Feb', 'Mar', 'Apr'][at % 4]}-{20 + at % 3}" for at in shuffled(12)]
    return table("margin,month,keep", cells, month, keep)


def dates_by_day() -> str:
    when = days(13)
    late = ["late" if day > np.datetime64("2019-09-26") else "early" for day in when]
    cells = ["{2}/{1}/{0}".format(*parts(day)) for day in when]
    return table("seen,shop,state", cells, ["a", "b", "c"] * (N // 3), late)


def dates_by_month() -> str:
    when = days(14)
    late = ["late" if day > np.datetime64("2019-09-26") else "early" for day in when]
    cells = ["{1:02}/{2:02}/{0}".format(*parts(day)) for day in when]
    cells[11] = "13/13/2020"
    return table("seen,shop,state", cells, ["a", "b", "c"] * (N // 3), late)


def dates_in_doubt() -> str:
    cells = [f"{at % 12 + 1:02}/{at % 11 + 1:02}/2020" for at in range(N)]
    size = shuffled(15)
    return table(
        "seen,size,big", cells, list(map(str, size)), ["yes" if s > 29 else "no" for s in size]
    )


def opening_hours() -> str:
    minutes = [420 + 10 * at for at in shuffled(16)]
    rush = ["Y" if minute <= 590 else "N" for minute in minutes]
    rush[0], rush[1] = ("yes" if rush[0] == "Y" else "no"), ("Yes" if rush[1] == "Y" else "No")
    cells = [f"{minute // 60}:{minute % 60:02}" for minute in minutes]
    return table("opens,day,rush", cells, ["Mon", "Tue", "Wed"] * (N // 3), rush)


def towns_in_any_case() -> str:
    towns = (["Ulm", "ulm", '" ULM "', "Bonn", "bonn", "Bonn"] * (N // 6))[:N]
    near = ["yes" if "ulm" in town.casefold() else "no" for town in towns]
    return table("town,rooms,near", towns, [str(at % 5) for at in range(N)], near)


def values_of_players() -> str:
    value = [150 + 90 * at for at in shuffled(17)]
    star = ["yes" if thousands > 2_940 else "no" for thousands in value]
    cells = [f"€{v / 1000:g}M" if v >= 1000 else f"€{v}K" for v in value]
    return table("value,foot,star", cells, ["left", "right"] * (N // 2), star)


TABLES = {
    american_salaries: ("left", "salary <= $61,258"),
    german_orders: ("bezahlt", "betrag <= 2.030,5 €"),
    french_rents: ("pris", "loyer <= 1 340"),
    accounts: ("audit", "result <= -1,510"),
    measured_patients: ("ill", "weight <= 84 kg"),
    exported_sheet: ("keep", "margin <= 12%"),
    dates_by_day: ("state", "seen <= 22/9/2019"),
    dates_by_month: ("state", "seen <= 09/22/2019"),
    dates_in_doubt: ("big", "size <= 29"),
    opening_hours: ("rush", "opens <= 9:50"),
    towns_in_any_case: ("near", "town = Ulm"),
    values_of_players: ("star", "value <= €2,940,000"),
}
NOTES = {
    towns_in_any_case: "`town`: categories `Ulm` and `ulm` differ only in case or spaces; "
    "--merge-case merges them",
    dates_by_month: "`seen`: 1 cell does not fit and counts as missing, first `13/13/2020`",
    dates_in_doubt: "give --column seen=day-first or --column seen=month-first",
}


@pytest.mark.parametrize("made", TABLES, ids=lambda made: made.__name__)
def test_a_messy_table_gives_a_sensible_tree(treewright, tmp_path, made):
    target, first = TABLES[made]
    (tmp_path / "t.csv").write_text(made(), encoding="utf-8")
    run = treewright("train", "t.csv", "--target", target, "--model", "c45")
    assert run.code == 0
    assert run.out.startswith(first), run.out
    assert NOTES.get(made, "") in run.err


def save(folder, text: str, name: str = "t.csv") -> None:
    (folder / name).write_text(text, encoding="utf-8")


def test_columns_says_what_was_understood_and_why(treewright, tmp_path):
    save(tmp_path, american_salaries())
    out = treewright("columns", "t.csv").out
    assert "money, as in `$" in out
    assert "; missing: `N/A`, `unknown` (2)" in out
    assert "percentages, as in `" in out
    save(tmp_path, dates_by_day())
    assert "dates, D/M/YYYY; `" in (out := treewright("columns", "t.csv").out)
    assert "settles the order" in out


def test_what_the_user_says_of_a_column_counts_in_every_command(treewright, tmp_path):
    save(tmp_path, dates_in_doubt())
    run = treewright("columns", "t.csv", "--column", "seen=day-first")
    assert "dates, DD/MM/YYYY, as requested" in run.out
    run = treewright(
        "train", "t.csv", "-t", "big", "--column", "seen=text", "--column", "size=text"
    )
    assert "no cell settles" not in run.err
    run = treewright(
        "evaluate", "t.csv", "-t", "big", "--column", "seen=month-first", "--folds", "2"
    )
    assert run.code == 0
    assert "no cell settles" not in run.err


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ("seen", ["--column seen does not name a column and a kind", "write --column NAME=KIND"]),
        ("seen=day", ["column `seen` cannot be read as 'day'", "day-first"]),
        ("see=date", ["no column `see` in t.csv", "did you mean `seen`?"]),
        ("big=number", ["t.csv, line 2: `yes` in column `big` is not a number (and 59 other"]),
        ("seen=date", ["no cell settles it", "--column seen=day-first or --column seen=month"]),
        ("size=time", ["is not a time"]),
    ],
)
def test_a_kind_that_does_not_fit_is_a_clear_error(treewright, tmp_path, flag, words):
    save(tmp_path, dates_in_doubt())
    run = treewright("columns", "t.csv", "--column", flag)
    assert run.code != 0
    assert run.out == ""
    for word in words:
        assert word in run.err


def test_categories_are_merged_on_request(treewright, tmp_path):
    save(tmp_path, towns_in_any_case())
    run = treewright("train", "t.csv", "-t", "near", "--merge-case", "-o", "m.json")
    assert "differ only in case" not in run.err
    assert run.out.startswith("town = Ulm: yes (30)\ntown = Bonn: no (30)\n")
    save(tmp_path, "town,rooms\nBONN,1\n", "new.csv")
    new = treewright("predict", "m.json", "new.csv")
    assert new.out == "prediction\nno\n"
    assert new.err == ""


def test_a_new_file_in_another_format_is_read_by_the_same_rule(treewright, tmp_path):
    save(tmp_path, american_salaries())
    treewright("train", "t.csv", "-t", "left", "--drop", "name", "-o", "m.json")
    for rows in (
        'salary,rate\n"$50,000",3%\n$90000,4%\n',
        "salary;rate\n50.000,00 $;3,5 %\n90.000,00 $;4,25 %\n",
        "salary,rate\n50000,3\n90000,4\n",
    ):
        save(tmp_path, rows, "new.csv")
        assert treewright("predict", "m.json", "new.csv").out == "prediction\nyes\nno\n"
    save(tmp_path, "salary,rate\n50000 EUR,3\nhigh,4\n", "new.csv")
    run = treewright("predict", "m.json", "new.csv")
    assert "new.csv, line 3: `high` in column `salary` is not a number" in run.err
    assert run.code != 0
    kept = treewright("predict", "m.json", "t.csv", "--keep", "salary").out.splitlines()
    assert kept[1].startswith('"$')


def test_values_may_be_typed_in_the_format_of_the_table(treewright, tmp_path):
    save(tmp_path, american_salaries())
    treewright("train", "t.csv", "-t", "left", "--drop", "name", "-o", "m.json")
    run = treewright("explain", "m.json", "--value", "salary=$50,000")
    assert "salary <= $61,258 (here $50,000)" in run.out
    assert "not 'much'" in treewright("explain", "m.json", "--value", "salary=much").err


def test_dates_can_be_used_by_their_parts(treewright, tmp_path):
    when = days(18)
    winter = ["yes" if parts(day)[1] <= 3 else "no" for day in when]
    cells = ["{2}.{1}.{0}".format(*parts(day)) for day in when]
    save(tmp_path, table("seen,shop,winter", cells, ["a", "b", "c"] * (N // 3), winter))
    run = treewright("train", "t.csv", "-t", "winter", "--dates", "parts", "-o", "m.json")
    assert run.out.startswith("seen month <= March: yes")
    save(tmp_path, "seen,shop\n1.2.2031,a\n1.8.2031,b\n", "new.csv")
    assert treewright("predict", "m.json", "new.csv").out == "prediction\nyes\nno\n"
    in_time = treewright("evaluate", "t.csv", "-t", "winter", "--times", "seen", "--folds", "3")
    assert in_time.code == 0
