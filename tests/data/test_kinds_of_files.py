"""A model predicts the same from every kind of file, whichever kind it was trained on."""

import datetime as dt
import io
import json

import openpyxl
import polars
import pytest

import treewright as tw
from machine import imported
from treewright.cli.main import main

imported("fastexcel")

N_ROWS = 48
ROWS = {
    "size": [float(at % 12) for at in range(N_ROWS)],
    "count": [at % 5 for at in range(N_ROWS)],
    "color": [("red", "blue", None)[at % 3] for at in range(N_ROWS)],
    "code": [("1", "2", "x")[at // 3 % 3] for at in range(N_ROWS)],
    "hot": [at // 2 % 2 == 0 for at in range(N_ROWS)],
    "day": [dt.date(2024, 1, 1) + dt.timedelta(days=at * 5 % 40) for at in range(N_ROWS)],
    "seen": [dt.datetime(2024, 1, 1, at % 9, 30) for at in range(N_ROWS)],
    "y": [("no", "yes")[(at * at * 7 + at // 3) % 11 > 5] for at in range(N_ROWS)],
}
# For these rows of `code` a typed file holds numbers, where the training file has text.
NUMBERS = [at for at in range(N_ROWS) if ROWS["code"][at] != "x"]


def taken(rows):
    return {name: [values[at] for at in rows] for name, values in ROWS.items()}


def as_csv(rows, delimiter=","):
    def text(cell):
        return "" if cell is None else str(cell)

    lines = [delimiter.join(map(text, cells)) for cells in zip(*rows.values(), strict=True)]
    return ("\n".join([delimiter.join(rows), *lines]) + "\n").encode()


def as_xlsx(rows):
    book = openpyxl.Workbook()
    book.active.append(list(rows))
    for cells in zip(*rows.values(), strict=True):
        book.active.append([int(cell) if cell in ("1", "2") else cell for cell in cells])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def as_json(rows):
    cells = zip(*rows.values(), strict=True)
    objects = [dict(zip(rows, row, strict=True)) for row in cells]
    return "".join(json.dumps(one, default=str) + "\n" for one in objects).encode()


def as_bytes(write):
    def written(rows):
        frame = polars.DataFrame(rows)
        if "x" not in rows["code"]:
            frame = frame.with_columns(polars.col("code").cast(polars.Int64))
        file = io.BytesIO()
        getattr(frame, write)(file)
        return file.getvalue()

    return written


def as_arff(rows):
    kinds = {"size": "numeric", "count": "numeric", "day": "date yyyy-MM-dd"}
    kinds |= {"seen": 'date "yyyy-MM-dd HH:mm:ss"'}
    lines = [f"@attribute {name} {kinds.get(name, 'string')}" for name in rows]
    data = as_csv(rows).decode().split("\n", 1)[1]
    cells = [
        ",".join(f'"{cell}"' if cell else "?" for cell in line.split(","))
        for line in data.splitlines()
    ]
    return "\n".join(["@relation r", *lines, "@data", *cells]).encode()


KINDS = {
    "csv": as_csv,
    "tsv": lambda rows: as_csv(rows, "\t"),
    "xlsx": as_xlsx,
    "jsonl": as_json,
    "parquet": as_bytes("write_parquet"),
    "feather": as_bytes("write_ipc"),
    "arrows": as_bytes("write_ipc_stream"),
    "arff": as_arff,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    for kind, write in KINDS.items():
        (folder / f"all.{kind}").write_bytes(write(ROWS))
        (folder / f"some.{kind}").write_bytes(write(taken(NUMBERS)))
    return folder


@pytest.mark.parametrize("trained", KINDS)
def test_a_model_of_one_kind_predicts_for_every_kind(folder, trained, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    columns = ("size", "count", "color", "code", "hot", "day", "seen")
    features, target = tw.read_table(f"all.{trained}", "y")
    assert features.names == columns
    model = tw.RandomForestClassifier(n_estimators=8, max_features=2, random_state=0)
    model.fit(features, target).save("m.json")
    assert all(model.feature_importances_ > 0)
    probabilities = model.predict_proba(features)
    for kind in KINDS:
        parts = {"all": range(N_ROWS), "some": NUMBERS}
        for name, rows in parts.items() if kind in ("xlsx", "parquet") else [("all", parts["all"])]:
            code = main(["predict", "m.json", f"{name}.{kind}", "--proba", "--json", "-q"])
            said = capsys.readouterr()
            assert code == 0, f"{trained} to {kind}: {said.err}"
            assert said.err == "", f"{trained} to {kind}: {said.err}"
            found = [json.loads(line)["probability_yes"] for line in said.out.splitlines()]
            assert found == probabilities[list(rows), 1].tolist(), f"{trained} to {kind}"
