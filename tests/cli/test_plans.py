"""The flags that say on which rows a model is judged."""

import json

DAYS = [(year, month) for year in (2022, 2023) for month in range(1, 13)]


def test_dates_in_another_form_are_times_too(treewright, tmp_path):
    lines = [
        f"{at % 5},05.{m:02}.{y},{y}-{m:02}-05,{'ny'[at % 2]}" for at, (y, m) in enumerate(DAYS)
    ]
    (tmp_path / "days.csv").write_text("\n".join(["x,day,iso,ok", *lines]) + "\n")
    found = {}
    for column in ("day", "iso"):
        run = treewright(
            "evaluate", "days.csv", "-t", "ok", "--times", column, "--folds", "3", "--json"
        )
        found[column] = json.loads(run.out)
    assert found["day"]["scheme"] == "3 folds in the order of time"
    as_text = treewright(
        "evaluate", "days.csv", "-t", "ok", "--times", "day", "--column", "day=text", "--folds", "3"
    )
    assert (as_text.code, as_text.out) == (3, "")
    assert "column `day` has text that is not a date or time: `05.01.2022`" in as_text.err
    assert "2024-01-31" in as_text.err
