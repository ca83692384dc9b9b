"""The flags that say on which rows a model is judged."""

import json

DAYS = [(year, month) for year in (2022, 2023) for month in range(1, 13)]


def test_dates_in_another_form_are_no_times(treewright, tmp_path):
    lines = [
        f"{at % 5},05.{m:02}.{y},{y}-{m:02}-05,{'ny'[at % 2]}" for at, (y, m) in enumerate(DAYS)
    ]
    (tmp_path / "days.csv").write_text("\n".join(["x,day,iso,ok", *lines]) + "\n")
    run = treewright("evaluate", "days.csv", "-t", "ok", "--times", "day", "--folds", "3")
    assert (run.code, run.out) == (3, "")
    assert "column `day` has text that is not a date or time: `05.01.2022`" in run.err
    assert "2024-01-31" in run.err
    run = treewright("evaluate", "days.csv", "-t", "ok", "--times", "iso", "--folds", "3", "--json")
    assert json.loads(run.out)["scheme"] == "3 folds in the order of time"
