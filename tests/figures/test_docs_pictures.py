"""The pictures in the documentation are those that its code makes."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from figures.text_boxes import off_paper, touching

FOLDER = Path(__file__).parents[2] / "docs" / "figures"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.fixture(scope="module")
def pictures():
    spec = spec_from_file_location("remake", FOLDER / "remake.py")
    remake = module_from_spec(spec)
    spec.loader.exec_module(remake)
    return remake.pictures_of_the_page()


def test_every_picture_is_the_one_kept(pictures):
    for name, picture in pictures.items():
        kept, made = (FOLDER / f"{name}.svg").read_text(encoding="utf-8"), picture.to_svg()
        remedy = f"{name}.svg: run `python docs/figures/remake.py` and look at it"
        assert NUMBER.sub("", kept) == NUMBER.sub("", made), remedy
        numbers = [list(map(float, NUMBER.findall(text))) for text in (kept, made)]
        assert numbers[0] == pytest.approx(numbers[1], abs=0.02), remedy


def test_no_picture_is_kept_that_the_page_does_not_show(pictures):
    assert {path.stem for path in FOLDER.glob("*.svg")} == {*pictures}


def test_texts_of_the_pictures_never_touch(pictures):
    for picture in pictures.values():
        assert touching(picture.drawing) == []
        assert off_paper(picture.drawing) == []
