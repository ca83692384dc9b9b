"""Random expressions, for tests that hold whatever is calculated."""

from hypothesis import strategies as st

from treewright.documents.math import (
    Blank,
    Call,
    Dots,
    Fraction,
    Letter,
    Log2,
    Name,
    Number,
    Product,
    Square,
    Sum,
    SumOver,
    Term,
)
from treewright.documents.page import Formula

NASTY = (
    "<script>alert(1)</script>",
    '"quoted" & \\done{}',
    "🌞 sun",
    "אבג דה",
    "a|b_c$d^e",
    "two\nlines",
    "100 % #1 ~ {x}",
    "naïve Ωμέγα ≤ 漢字",
    "`tick` *star* [box]",
    "-",
    "long_name_" * 15,
)

names = st.one_of(st.sampled_from(NASTY), st.text(min_size=1, max_size=12))
numbers = st.builds(
    Number, st.sampled_from(["0", "5", "0.9403", "-1.25", "1234567.8901", "1.5e-07"])
)
atoms = st.one_of(
    numbers,
    st.builds(Name, names),
    st.just(Name("entropy", "H")),
    st.builds(Letter, st.sampled_from("pwy"), st.sampled_from(["", "i", "ij"])),
    st.builds(Blank, st.integers(1, 99)),
    st.just(Dots()),
)


def _larger(parts: st.SearchStrategy) -> st.SearchStrategy:
    several = st.lists(parts, min_size=1, max_size=4).map(tuple)
    terms = st.lists(st.builds(Term, parts, st.booleans()), min_size=1, max_size=5).map(tuple)
    return st.one_of(
        st.builds(Fraction, parts, parts),
        st.builds(Log2, parts),
        st.builds(Square, parts),
        st.builds(Product, several),
        st.builds(Sum, terms, st.booleans()),
        st.builds(SumOver, parts, st.just("i")),
        st.builds(Call, st.builds(Name, names), several),
    )


expressions = st.recursive(atoms, _larger, max_leaves=12)
formulas = st.builds(Formula, expressions, st.lists(expressions, min_size=1, max_size=4).map(tuple))
