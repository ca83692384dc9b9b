"""Pictures as PDF: one page of the drawing's size, text as text, fonts embedded."""

import re
import subprocess
import sys

import pytest

import treewright as tw
from machine import found_program, imported, needs
from treewright.errors import MissingExtraError
from treewright.pictures.shapes import Circle, Drawing, Path, Rectangle, Text
from treewright.pictures.svg import to_svg

imported("reportlab")
pdf = imported("treewright.pictures.pdf")
fonts_of, runs_of, to_pdf = pdf.fonts_of, pdf.runs_of, pdf.to_pdf

needs_poppler = needs("pdftotext")


@pytest.fixture(scope="module")
def iris_tree():
    X, y = tw.load_sample("iris")
    return tw.draw(tw.CARTClassifier(max_depth=3, prune=None).fit(X, y), row=X[60:61])


def run(tool, *arguments):
    return subprocess.run([tool, *arguments], capture_output=True, check=True).stdout


def test_the_file_is_a_page_of_the_size_of_the_drawing(iris_tree, tmp_path):
    path = tmp_path / "tree.pdf"
    iris_tree.save(path)
    content = path.read_bytes()
    assert content.startswith(b"%PDF-")
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", content)
    width, height = map(float, box.groups())
    assert width == pytest.approx(0.75 * iris_tree.drawing.width, abs=0.01)
    assert height == pytest.approx(0.75 * iris_tree.drawing.height, abs=0.01)
    assert content == iris_tree.to_pdf()  # the same bytes again


@needs_poppler
def test_all_text_can_be_found_and_every_font_is_embedded(iris_tree, tmp_path):
    path = tmp_path / "tree.pdf"
    iris_tree.save(path)
    text = run("pdftotext", "-layout", str(path), "-").decode()
    for words in ("petal length", "≤ 2.45", "> 1.75", "98 % of 48 rows", "setosa"):
        assert words in text
    fonts = run("pdffonts", str(path)).decode().splitlines()[2:]
    assert len(fonts) == 2
    assert all(line.split()[-5] == "yes" for line in fonts)


@needs_poppler
def test_the_page_looks_as_the_svg_does(tmp_path):
    """Colors at points of both: fills, strokes, round corners, halos, dashes, opacity, rotation."""
    resvg, image = imported("resvg_py"), imported("PIL.Image")
    import io

    shapes = (
        Rectangle(10, 10, 80, 40, corner=8, fill="#4477aa", stroke="#22272e", stroke_width=4),
        Circle(130, 30, 15, fill="#228833", opacity=0.5),
        Path((("M", 10, 80), ("H", 90), ("V", 100), ("L", 10, 100), ("Z",)), fill="#ee6677"),
        Path((("M", 100, 60), ("C", 100, 90, 150, 90, 150, 60)), stroke="#aa3377", stroke_width=6),
        Path((("M", 100, 105), ("H", 180)), stroke="#000000", stroke_width=6, dashes=(10.0, 10.0)),
        Text(50, 95, "■■■", size=20, halo="#ffffff"),
        Text(175, 80, "■■", size=14, rotation=90),
    )
    drawing = Drawing(200, 120, shapes, "shapes")
    path = tmp_path / "shapes.pdf"
    path.write_bytes(to_pdf(drawing))
    png = run("pdftoppm", "-r", "96", "-png", "-singlefile", str(path))
    ours = image.open(io.BytesIO(png)).convert("RGB")
    theirs = image.open(io.BytesIO(bytes(resvg.svg_to_bytes(svg_string=to_svg(drawing)))))
    theirs = theirs.convert("RGB")
    assert ours.size == theirs.size == (200, 120)
    points = [(50, 30), (11, 11), (12, 30), (130, 30), (125, 83), (104, 105), (114, 105)]
    points += [(15, 85), (50, 88), (178, 85), (195, 5), (150, 62), (140, 105)]
    for point in points:
        pairs = zip(ours.getpixel(point), theirs.getpixel(point), strict=True)
        assert all(abs(one - other) < 40 for one, other in pairs), point


def test_every_kind_of_picture_has_a_pdf():
    X, y = tw.load_sample("iris")
    model = tw.CARTClassifier(max_depth=2).fit(X, y)
    pictures = [
        tw.figures.partition(model, X, y, columns=["petal length", "petal width"]),
        tw.draw(tw.C45Rules().fit(X, y), row=X[:1]),
    ]
    assert all(picture.to_pdf().startswith(b"%PDF-") for picture in pictures)


def test_a_picture_larger_than_a_page_may_be_is_scaled_down():
    content = to_pdf(Drawing(40_000, 100, (), "a line"))
    assert b"/MediaBox [ 0 0 14400 36 ]" in content


def test_a_text_is_written_in_fonts_that_have_its_letters():
    runs, lost = runs_of("größe ≤ 5", bold=False)
    assert len(runs) == 1
    assert not lost
    runs, lost = runs_of("x \ue123 y", bold=True)  # a private character
    assert "".join(part for _, part in runs) == "x \ue123 y"
    assert lost == {"\ue123"}
    assert len(fonts_of(bold=True)) >= 1


def test_letters_that_no_font_has_are_named():
    with pytest.warns(UserWarning, match="no font on this machine has these characters"):
        to_pdf(Drawing(100, 20, (Text(50, 10, "a \ue123"),), "strange"))


def test_hostile_texts_do_not_break_the_file(tmp_path):
    texts = ["(", ")) Tj ET", "\\", "%", "<<>>", "a\nb", "\x00", "\u202e abc", "  "]
    shapes = tuple(Text(50, 10 * at, text, halo="#ffffff") for at, text in enumerate(texts))
    content = to_pdf(Drawing(100, 100, shapes, "(a) \\ <b> % \u2066"))
    path = tmp_path / "x.pdf"
    path.write_bytes(content)
    if found_program("pdftotext"):
        assert ")) Tj ET" in run("pdftotext", str(path), "-").decode()


def test_without_reportlab_the_error_says_what_to_install(iris_tree, monkeypatch):
    monkeypatch.setitem(sys.modules, "reportlab", None)
    with pytest.raises(MissingExtraError, match="a PDF picture needs the package `reportlab`") as e:
        iris_tree.to_pdf()
    assert "treewright[pictures]" in e.value.hint
