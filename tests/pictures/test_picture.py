"""Finished pictures: text, files, notebooks."""

import pytest

from machine import imported
from treewright.errors import ParameterError
from treewright.pictures.picture import Picture
from treewright.pictures.shapes import Circle, Drawing

DRAWING = Drawing(30, 20, (Circle(5, 5, 2, fill="#000000"),), "a <dot>")
PICTURE = Picture(DRAWING, "one dot", {"radius": 2})


def test_a_picture_says_what_it_shows_and_how_large_it_is():
    assert repr(PICTURE) == "<Picture: one dot, 30 x 20 pixels>"
    assert PICTURE.data == {"radius": 2}


def test_notebooks_show_the_svg():
    assert PICTURE._repr_svg_() == PICTURE.to_svg()
    assert PICTURE.to_svg().startswith("<svg ")


def test_files_are_written_by_their_ending(tmp_path):
    imported("resvg_py")
    for ending, start in ((".svg", b"<svg"), (".PNG", b"\x89PNG"), (".html", b"<!DOCTYPE html>")):
        PICTURE.save(tmp_path / f"dot{ending}")
        assert (tmp_path / f"dot{ending}").read_bytes().startswith(start)


def test_an_unknown_ending_is_refused_and_nothing_written(tmp_path):
    with pytest.raises(ParameterError, match=r"use one of .svg, .png, .pdf, .html"):
        PICTURE.save(tmp_path / "dot.jpeg")
    assert [*tmp_path.iterdir()] == []


def test_a_page_around_a_figure_needs_nothing_else():
    page = PICTURE.to_html()
    assert "<title>a &lt;dot&gt;</title>" in page
    assert PICTURE.to_svg() in page
    assert "src=" not in page
    assert "content=\"default-src 'none';" in page


def test_a_picture_with_a_page_of_its_own_gives_that():
    assert Picture(DRAWING, "one dot", page=lambda: "<p>mine").to_html() == "<p>mine"


@pytest.mark.parametrize("scale", [0, -1, 21])
def test_a_scale_out_of_range_is_refused(scale):
    with pytest.raises(ParameterError, match=f"scale is {scale}"):
        PICTURE.to_png(scale)
