"""Parameters in the body of a class become its constructor and its docstring."""

import inspect
from collections.abc import Mapping
from typing import Any

import pytest

import treewright as tw
from treewright.estimators.base import Model
from treewright.estimators.declaration import leading_param, param, set_by_fit
from treewright.estimators.fitted import Fitted

SHARED = param(1, "A number.", low=0)


class Base(Model[Fitted]):
    """A base."""

    state_type = Fitted

    first: int = SHARED
    last: str = param("x", "A string.", choices=("x", "y"))
    learned_: float = set_by_fit()


class Mixin:
    mixed: bool = param(False, "Whether it is mixed.")


class Toy(Mixin, Base):
    """A toy.

    Attributes
    ----------
    learned_
        A number.
    """

    last: str = param("y", "Another string; longer.", choices=("y",))
    middle: float | None = param(None, "Between the two.", before="last")


def test_the_type_is_the_first_simple_one_of_the_annotation():
    class Typed(Base):
        share: int | float = param(1, "A share.")
        word: float | str | None = param("auto", "A number or a word.")
        mapping: Mapping[str, int] | None = param(None, "A mapping.")
        anything: Any = param(None, "Anything.")
        seed: Any = param(0, "A seed.", type=int, optional=True)

    types = {one.name: (one.type, one.optional) for one in Typed.params[2:]}
    assert types == {
        "share": (int, False),
        "word": (float, True),
        "mapping": (object, True),
        "anything": (object, False),
        "seed": (int, True),
    }


def test_an_override_stays_in_its_place_and_others_come_where_they_belong():
    assert [one.name for one in Toy.params] == ["first", "middle", "last", "mixed"]
    assert Toy().last == "y"
    assert Base().last == "x"


def test_the_signature_has_annotations_and_defaults():
    expected = (
        "(*, first: int = 1, middle: float | None = None, last: str = 'y', mixed: bool = False)"
        " -> None"
    )
    assert str(inspect.signature(Toy)) == expected
    assert Toy.__init__.__qualname__ == "Toy.__init__"


def test_the_docstring_gets_a_section_before_the_attributes():
    assert inspect.getdoc(Toy) == (
        "A toy.\n\nParameters\n----------\nfirst\n    A number.\nmiddle\n    Between the two.\n"
        "last\n    Another string; longer.\nmixed\n    Whether it is mixed.\n\n"
        "Attributes\n----------\nlearned_\n    A number."
    )


def test_a_docstring_without_other_sections_ends_with_the_parameters():
    assert Base.__doc__ == (
        "A base.\n\nParameters\n----------\nfirst\n    A number.\nlast\n    A string."
    )


def test_attributes_of_fitted_models_are_no_parameters():
    assert "learned_" not in Toy().get_params()
    assert not hasattr(Base, "learned_")


def test_a_shared_declaration_is_not_changed_by_its_use():
    assert SHARED.name == ""
    assert Base.param_named("first").name == "first"


def test_a_leading_parameter_may_be_given_by_position():
    class Leading(Model[Fitted]):
        state_type = Fitted
        n: int = leading_param(param(3, "How many."), default=3, kw_only=False)
        other: int = SHARED

    assert (Leading().n, Leading(4).n, Leading(n=5).n) == (3, 4, 5)
    with pytest.raises(TypeError, match="too many positional"):
        Leading(4, 5)


def test_a_subclass_may_have_a_constructor_of_its_own():
    class Own(tw.CARTClassifier):
        def __init__(self, *, depth=2):
            super().__init__(max_depth=depth)
            self.depth = depth

    model = Own(depth=3)
    assert model.max_depth == 3
    assert model.get_params() == {"depth": 3}
    assert model.fit([[1], [2]], ["a", "b"]).predict([[2]]).tolist() == ["b"]


def test_a_subclass_without_declarations_has_those_of_its_base():
    class Same(tw.CARTClassifier):
        pass

    assert Same.params == tw.CARTClassifier.params
    assert repr(Same(max_depth=2)) == "Same(max_depth=2)"
