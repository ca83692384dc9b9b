"""Parameters of estimators: declared once; signature, docstring, flag and checks follow."""

import inspect
import pickle
import pydoc

import pytest
from sklearn.base import clone

import treewright as tw
from treewright.cli.settings import NOT_FLAGS, SETTINGS_OF, parameter_of, settings_of
from treewright.estimators.declaration import SET_BY_FIT, Param
from treewright.registry import ESTIMATORS

TRANSFORMERS = ("Imputer", "Discretizer")
BY_POSITION = {"KMeans": 1, "KPrototypes": 1, "KNeighborsClassifier": 1, "KNeighborsRegressor": 1}
for_every_estimator = pytest.mark.parametrize("name", [*ESTIMATORS, *TRANSFORMERS])


def arguments_of(name: str) -> list[inspect.Parameter]:
    """The arguments of the constructor, as `inspect` sees them."""
    return list(inspect.signature(getattr(tw, name)).parameters.values())


def section_of(doc: str, name: str) -> dict[str, str]:
    """The entries of a numpydoc section, each as one line."""
    lines = doc.partition(f"{name}\n{'-' * len(name)}\n")[2].partition("\n\n")[0].splitlines()
    entries: dict[str, str] = {}
    for line in lines:
        if line.startswith("    "):
            entries[entry] += f" {line.strip()}"  # noqa: F821 -- set by an earlier line
        else:
            entry = line
            entries[entry] = ""
    return {entry: text.strip() for entry, text in entries.items()}


@for_every_estimator
def test_the_signature_has_every_parameter_with_its_default(name):
    params = getattr(tw, name).params
    arguments = arguments_of(name)
    assert [one.name for one in arguments] == [one.name for one in params]
    assert [one.default for one in arguments] == [one.default for one in params]
    n_by_position = BY_POSITION.get(name, 0)
    assert all(one.kind is one.POSITIONAL_OR_KEYWORD for one in arguments[:n_by_position])
    assert all(one.kind is one.KEYWORD_ONLY for one in arguments[n_by_position:])


@for_every_estimator
def test_scikit_learn_finds_the_parameters_in_the_constructor(name):
    kind = getattr(tw, name)
    in_init = list(inspect.signature(kind.__init__).parameters)
    assert in_init == ["self", *(one.name for one in kind.params)]
    assert sorted(kind().get_params()) == sorted(one.name for one in kind.params)


@for_every_estimator
def test_every_parameter_has_help_and_an_entry_in_the_docstring(name):
    kind = getattr(tw, name)
    described = section_of(inspect.getdoc(kind), "Parameters")
    assert described == {one.name: one.help for one in kind.params}
    for one in kind.params:
        assert one.help[0].isupper() or one.help[0] in '`"'
        assert one.help.endswith(".")
        assert one.summary
        assert "\n" not in one.help
        assert one.allowed


@for_every_estimator
def test_the_section_on_parameters_comes_before_the_others(name):
    doc = inspect.getdoc(getattr(tw, name))
    at = [doc.index(f"\n{section}\n---") for section in ("Parameters", "Attributes", "Examples")]
    assert at == sorted(at)
    assert doc.count("Parameters\n---") == 1
    assert all(len(line) <= 100 for line in doc.splitlines())


@for_every_estimator
def test_help_shows_every_parameter(name):
    kind = getattr(tw, name)
    text = pydoc.render_doc(kind, renderer=pydoc.plaintext)
    for one in kind.params:
        assert f"{one.name}: " in text  # in the signature
        assert f" |  {one.name}\n" in text


@for_every_estimator
def test_the_class_itself_holds_no_declaration(name):
    kind = getattr(tw, name)
    for base in kind.__mro__:
        left = [n for n, v in vars(base).items() if isinstance(v, Param) or v is SET_BY_FIT]
        assert left == []


@for_every_estimator
def test_values_are_stored_as_given(name):
    kind = getattr(tw, name)
    for one in kind.params:
        value = object()
        assert getattr(kind(**{one.name: value}), one.name) is value
        assert getattr(kind().set_params(**{one.name: value}), one.name) is value
    assert list(vars(kind())) == [one.name for one in kind.params]


@for_every_estimator
def test_a_misspelled_argument_is_refused(name):
    kind = getattr(tw, name)
    called = rf"{name}\.__init__\(\)"
    with pytest.raises(TypeError, match=f"{called} got an unexpected keyword argument 'nope'"):
        kind(nope=1)
    with pytest.raises(TypeError, match=f"{called} too many positional arguments"):
        kind(*[1] * (BY_POSITION.get(name, 0) + 1))


@pytest.mark.parametrize("name", BY_POSITION)
def test_the_first_argument_may_be_given_by_position(name):
    first = getattr(tw, name).params[0].name
    assert getattr(tw, name)(3).get_params()[first] == 3
    with pytest.raises(TypeError, match="multiple values for argument"):
        getattr(tw, name)(3, **{first: 3})


@for_every_estimator
def test_clones_pickles_and_texts_have_the_parameters(name):
    kind = getattr(tw, name)
    last = next(one for one in reversed(kind.params) if one.default is not True)
    model = kind(**{last.name: True})
    assert repr(model) == f"{name}({last.name}=True)"
    assert repr(kind()) == f"{name}()"
    for copy in (clone(model), pickle.loads(pickle.dumps(model))):
        assert type(copy) is kind
        assert copy.get_params() == model.get_params()


@pytest.mark.parametrize(("model", "task"), SETTINGS_OF)
def test_every_parameter_is_a_flag(model, task):
    flags = {parameter_of(flag) for flag in settings_of(model, task)}
    assert flags == {one.name for one in SETTINGS_OF[model, task]} - NOT_FLAGS
