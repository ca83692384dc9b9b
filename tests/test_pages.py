"""The tool that runs the commands of pages."""

from pages import Step, brought_up_to_date, steps_of

STALE = """\
Some text.

```console
$ treewright samples shapes > shapes.csv
$ head -2 shapes.csv
color
$ treewright train shapes.csv \\
      --target klass
$ treewright samples | tail -1
iris ...
```
"""


def test_a_page_gets_what_its_commands_print_now():
    page = brought_up_to_date(STALE)
    assert [step.output for step in steps_of(page)] == [
        "",
        "color,shape,class\nred,circle,+\n",
        "error: no column `klass` in shapes.csv\nhint: did you mean `class`?\n",
        "iris ...\n",  # still true, and so left as it was
    ]
    assert brought_up_to_date(page) == page


def test_dots_stand_for_anything_and_all_else_counts():
    step = Step("treewright", "first\n...\nlast\n")
    assert step.is_like("first\nsecond\nthird\nlast\n")
    assert not step.is_like("first\nsecond\nlast \n")
