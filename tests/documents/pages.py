"""A page with a block of every kind, all of them about one name."""

from treewright.documents.math import Blank, Call, Name, Number
from treewright.documents.page import (
    Block,
    Contents,
    Figure,
    Formula,
    Heading,
    KeyFact,
    KeyFacts,
    Listing,
    Note,
    Paragraph,
    Run,
    SheetTable,
)


def a_page_of(name: str) -> list[Block]:
    return [
        Heading(2, name),
        Heading(3, name),
        Paragraph.of("Of ", Run(name, "strong"), " and ", Run(name, "code"), Blank(1)),
        Formula(Call(Name("gain"), (Name(name),)), (Blank(2), Number("0.5"))),
        Formula(Name(name), (Number("1"),)),
        SheetTable((name, "gain"), ((name, "0.25"), (name, Blank(3))), "lr", name, frozenset([0])),
        Listing(f"{name}\n    four"),
        Figure("<svg></svg>", name),
        Note(name),
        Contents((Heading(2, name, "here"),)),
        KeyFacts((KeyFact(name, name, name),)),
    ]
