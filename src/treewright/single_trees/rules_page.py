"""The rules of a model as a page with a table."""

from treewright.documents.page import Document, Note, SheetTable
from treewright.rulesets.as_document import PLAIN, notes, number_cells, text_cells, titles_of
from treewright.rulesets.sheet import RuleSheet


def rules_page(sheet: RuleSheet) -> Document:
    """A table of the rules, and the footnotes below it."""
    marks = sheet.footnotes()
    titles = titles_of(sheet)
    rows = tuple(
        (*text_cells(rule, sheet, marks, PLAIN), *number_cells(rule, sheet)) for rule in sheet.rules
    )
    table = SheetTable(titles, rows, "lll".ljust(len(titles), "r"))
    return Document("Rules", (table, *map(Note, notes(sheet, marks, PLAIN))))
