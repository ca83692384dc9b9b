"""What `--json` prints is what docs/schemas says, for every command."""

import json
from pathlib import Path

import jsonschema
import pytest

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"

CALLS = {
    "train": [["train", "tennis"], ["train", "iris", "--model", "cart", "--out", "m2.json"]],
    "show": [["show", "m.json"]],
    "evaluate": [["evaluate", "iris", "--folds", "3"], ["evaluate", "m.json", "iris"]],
    "compare": [["compare", "iris", "--folds", "3", "--model", "c45", "--model", "cart"]],
    "tune": [
        ["tune", "iris", "--folds", "3", "--grid", "max-depth=1,none"],
        ["tune", "iris", "--folds", "3", "--grid", "max-depth=1,2", "--nested", "2"],
    ],
    "prune": [["prune", "m.json"]],
    "export": [["export", "m.json", "--to", "c"], ["export", "m.json", "--to", "excel"]],
    "report": [["report", "m.json", "iris", "--out", "r.html", "--folds", "3"]],
    "predict": [["predict", "m.json", "iris"], ["predict", "m.json", "iris", "--proba"]],
    "columns": [["columns", "iris"], ["columns", "tennis", "--target", "play"]],
    "samples": [["samples"]],
    "doctor": [["doctor"]],
}


def test_every_schema_is_sound_and_used():
    assert {path.stem for path in SCHEMAS.glob("*.json")} == set(CALLS)
    for path in SCHEMAS.glob("*.json"):
        jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text()))


@pytest.mark.parametrize(
    ("command", "words"),
    [(command, words) for command, calls in CALLS.items() for words in calls],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_what_is_printed_follows_the_schema(treewright, command, words):
    treewright("train", "iris", "--out", "m.json")
    schema = json.loads((SCHEMAS / f"{command}.json").read_text())
    run = treewright(*words, "--json")
    assert run.code == 0
    texts = run.out.splitlines() if command == "predict" else [run.out]
    for text in texts:
        found = json.loads(text, parse_constant=pytest.fail)  # NaN is not JSON
        jsonschema.validate(found, schema)
