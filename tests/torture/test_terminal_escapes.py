"""Nothing that stands in a file steers the terminal: not through any command, not by any name."""

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from functools import cache

import pytest

import treewright as tw
from every_command import CALLS, filled, write_model_and_table
from golden import files
from torture.saved_files import Parts, folder_of, is_text, one_of_each_kind, parts_of
from treewright.cli.main import main
from treewright.verbs.load import model_from_bytes

# Set the title, ring, color, clear (C1 form), return, backspace, turn the direction, isolate it.
PLANTED = "\x1b]0;t\x07\x1b[31m\x9b2J\r\b\u202e\u2067"
STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
ANY_MODEL = [
    ["show", "{}"],
    ["show", "{}", "--json"],
    ["rules", "{}"],
    ["rules", "{}", "--format", "markdown"],
    ["rules", "{}", "--format", "latex"],
    ["rules", "{}", "--json"],
    ["worksheet", "{}"],
    ["worksheet", "{}", "--format", "markdown"],
    ["worksheet", "{}", "--format", "html"],
    ["worksheet", "{}", "--json"],
    ["prune", "{}"],
    ["prune", "{}", "--json"],
    ["show", "{}", "--out", "-"],
]
WITH_TABLE = [
    ["explain", "{}", "t.csv"],
    ["explain", "{}", "t.csv", "--json"],
    ["explain", "{}", "t.csv", "--format", "markdown"],
    ["predict", "{}", "t.csv", "--json"],
    ["worksheet", "{}", "t.csv"],
    ["evaluate", "{}", "t.csv"],
    ["prune", "{}", "t.csv"],
    ["distil", "{}", "t.csv"],
    ["report", "{}", "t.csv", "--folds", "2", "--out", "-"],
]


def assert_steers_nothing(words, out, err):
    for text in (out, err):
        found = STEERING.search(text)
        assert not found, (words, repr(text[max(found.start() - 60, 0) : found.end() + 20]))
    assert "Traceback" not in err, err
    assert "unexpected" not in err, (words, err)


def strings_in(value):
    """Every string that is a value in JSON, each once."""
    found = {}

    def walk(one):
        if isinstance(one, str):
            found[one] = None
        for inner in (
            one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        ):
            walk(inner)

    walk(value)
    return list(found)


def replaced(value, old, new):
    if value == old and isinstance(value, str):
        return new
    if isinstance(value, dict):
        return {key: replaced(inner, old, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [replaced(inner, old, new) for inner in value]
    return value


def loads(parts):
    try:
        model_from_bytes(parts.to_bytes())
    except tw.ModelFileError:
        return False
    return True


@cache
def planted(name):
    """A file of this kind with the signs in all strings that it may hold, and those refused."""
    parts, refused = with_a_note(parts_of(name)), []
    for text in strings_in(parts.model):
        changed = Parts(replaced(parts.model, text, text + PLANTED), parts.arrays)
        if loads(changed):
            parts = changed
        else:
            refused.append(changed)
    return parts, refused


def with_a_note(parts):
    """The file with a note, where such files have notes."""
    model = parts.model
    inner = next((one for one in (model, *model.values()) if has_notes(one)), None)
    if inner is not None:
        inner["notes"] = [*inner["notes"], "a note"]
    return parts


def has_notes(value):
    return isinstance(value, dict) and isinstance(value.get("notes"), list)


def written_table(name, parts, folder):
    """The rows of a golden file under the names that the model knows now, as CSV."""
    model = model_from_bytes(parts.to_bytes())
    names = list((model.schema_ if hasattr(model, "schema_") else model.schema).names)
    rows = files.rows_in(folder_of(name))
    columns = list(rows.values()) if isinstance(rows, dict) else list(zip(*rows, strict=True))
    if len(columns) != len(names):
        return False
    table = tw.table_from(dict(zip(names, columns, strict=True)))
    target = getattr(model, "target_name_", None)
    if hasattr(model, "predict") and target:
        with suppress(tw.DataError):  # some models refuse categories that now have other names
            table = table.with_column(tw.table_from({target: list(model.predict(table))})[target])
    cells = [["" if v is None or v != v else str(v) for v in c.to_numpy()] for c in table.columns]
    quote = lambda text: '"' + text.replace('"', '""') + '"'  # noqa: E731
    lines = [table.names, *zip(*cells, strict=True)]
    text = "".join(",".join(map(quote, line)) + "\n" for line in lines)
    (folder / "t.csv").write_bytes(text.encode("utf-8"))
    return True


@pytest.mark.parametrize("name", one_of_each_kind())
def test_no_string_of_a_model_file_steers_the_terminal(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    parts, refused = planted(name)
    file = "m.json" if is_text(name) else "m.tw"
    (tmp_path / file).write_bytes(parts.to_bytes())
    assert any(PLANTED in text for text in strings_in(parts.model))
    calls = [*ANY_MODEL, *(WITH_TABLE if written_table(name, parts, tmp_path) else ())]
    n_done = 0
    for call in calls:
        words = [word.format(file) for word in call]
        n_done += main(words) == 0
        assert_steers_nothing(words, *capsys.readouterr())
    assert n_done > 1  # others are for other kinds of models
    for bad in refused:
        (tmp_path / file).write_bytes(bad.to_bytes())
        assert main(["show", file]) in (0, 3)  # settings of growth are not read to show a model
        assert_steers_nothing(["show"], *capsys.readouterr())


@pytest.mark.parametrize(
    "name", ["cart_pruned", "kmeans", "random_forest", "linear", "find_s", "rules_of_tree"]
)
def test_what_python_prints_of_a_model_steers_nothing_either(name):
    model = model_from_bytes(planted(name)[0].to_bytes())
    ways = ("export_text", "summary", "to_text", "to_markdown", "to_latex", "__str__", "__repr__")
    for way in ways:
        if hasattr(model, way):
            assert_steers_nothing(way, str(getattr(model, way)()), "")
    if getattr(model, "pruning_", None) is not None:
        assert_steers_nothing("pruning_", str(model.pruning_), "")


@pytest.fixture
def plain_folder(tmp_path, monkeypatch):
    write_model_and_table(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", CALLS)
def test_no_path_steers_the_terminal(plain_folder, capsys, command):
    odd = f"no{PLANTED}such"
    (plain_folder / f"bad{PLANTED}.json").write_bytes(b"{}")
    (plain_folder / f"bad{PLANTED}.csv").write_bytes(b"x,x\n1,2\n")
    calls = [
        filled(command, table=odd),
        filled(command, model=odd),
        filled(command, table=f"{odd}/t.csv"),
        filled(command, model=f"t.csv/{odd}"),
        filled(command, model="x" * 300 + PLANTED),
        filled(command, table="x" * 300 + PLANTED),
        filled(command, model=f"bad{PLANTED}.json"),
        filled(command, table=f"bad{PLANTED}.csv"),
        [*filled(command), odd],
        [*filled(command), f"--{odd}"],
        [odd],
    ]
    if "{out}" in CALLS[command] or command in ("train", "predict", "prune", "show"):
        calls += [filled(command, out=f"{odd}/r.html"), filled(command, out=f"{odd}.html")]
    for words in calls:
        main(words)
        assert_steers_nothing(words, *capsys.readouterr())


@pytest.mark.parametrize("command", ["predict", "impute", "discretize", "export"])
def test_data_is_left_alone_in_a_pipe_and_escaped_on_a_terminal(plain_folder, command):
    text = (plain_folder / "t.csv").read_text()
    (plain_folder / "t.csv").write_text(text.replace("yes", f"yes{PLANTED[:6]}\x9b\u202e"))
    model = tw.CARTClassifier(prune=None).fit(*tw.read_table("t.csv", target="y"))
    model.save("m.json")
    words = [*filled(command), "--quiet"]
    if command == "export":
        words[words.index("python")] = "sql"
    elif command != "predict":
        words += ["--out", "-"]
    run = [sys.executable, "-m", "treewright", *words]
    piped = subprocess.run(run, capture_output=True, check=True).stdout.decode("utf-8")
    assert "\x1b" in piped
    assert "\u202e" in piped
    shown = on_a_terminal(run)
    assert "yes" in shown
    assert not STEERING.search(shown), shown
    assert r"yes\x1b]0;t\x07\x9b\u202e" in shown


def on_a_terminal(words):
    """What a command writes to a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(words, stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL)
    os.close(theirs)
    seen = b""
    while True:
        try:
            read = os.read(ours, 4096)
        except OSError:  # Linux's way to say that all is read
            break
        if not read:
            break
        seen += read
    assert process.wait() == 0
    os.close(ours)
    return seen.decode("utf-8").replace("\r\n", "\n")


def test_facts_as_json_keep_their_meaning(plain_folder, capsys):
    """Escapes of JSON for what cannot be printed: whoever reads it gets the same text."""
    (plain_folder / "t.csv").write_text(f"x{PLANTED.replace(chr(13), '')},y\n1,a\n2,b\n")
    assert main(["columns", "t.csv", "--json"]) == 0
    out = capsys.readouterr().out
    assert not STEERING.search(out)
    assert json.loads(out)[0]["name"] == f"x{PLANTED.replace(chr(13), '')}"


ODD = "a\x1b[31mb\u202e"
ERRORS = {
    "load": lambda model: tw.load(f"{ODD}.json"),
    "read_table": lambda model: tw.read_table(f"{ODD}.csv"),
    "load_sample": lambda model: tw.load_sample(ODD),
    "a column that is not known": lambda model: model.predict([{f"z{ODD}": 1}]),
    "a category that is not known": lambda model: model.predict({ODD: ["c"]}),
    "a setting": lambda model: tw.C45Classifier(criterion=ODD).fit([[1.0], [2.0]], [0, 1]),
    "an export": lambda model: tw.export(model, ODD),
}


@pytest.mark.parametrize("call", ERRORS.values(), ids=ERRORS)
def test_errors_in_python_show_names_and_paths_escaped(call):
    model = tw.C45Classifier(handle_unknown="error").fit(
        {ODD: [f"x{ODD}", "y"] * 8}, ["n", "p"] * 8
    )
    with pytest.raises((tw.TreewrightError, OSError)) as caught:
        call(model)
    assert not STEERING.search(str(caught.value)), str(caught.value)


def test_warnings_and_printed_results_show_names_escaped():
    X = {ODD: [f"{at}{ODD}" for at in range(40)], f"b{ODD}": [1.0, 2.0] * 20}
    with pytest.warns(UserWarning, match="names and ids") as caught:
        model = tw.C45Classifier().fit(X, ["n", "p"] * 20)
    assert not STEERING.search("".join(str(one.message) for one in caught))
    assert not STEERING.search(str(tw.importance(model, X, ["n", "p"] * 20, n_repeats=2)))


def test_importing_the_package_loads_next_to_nothing():
    """So that Ctrl-C while a command starts finds the code that handles it."""
    code = "import sys; old = {*sys.modules}; import treewright; print(*({*sys.modules} - old))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "typing" not in done.stdout.split()
