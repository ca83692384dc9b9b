"""What the page of a tree shows in Chromium, for the tests of it."""


def node(opened, number):
    return opened.page.locator(f'g.node[data-node="{number}"]')


def shown(opened):
    opened.settle()
    return sorted(int(box[4]) for box in opened.boxes() if box[4] is not None)


def on_way(opened):
    opened.settle()
    marked = opened.page.locator("g.node[data-way]")
    return [int(marked.nth(at).get_attribute("data-node")) for at in range(marked.count())]


def assert_apart(texts, boxes):
    """No two texts overlap, no two boxes do, and no text crosses the frame of a box."""
    texts = [text for text in texts if text[4]]
    for areas in (texts, boxes):
        areas.sort(key=lambda area: area[1])
        for at, one in enumerate(areas):
            for other in areas[at + 1 :]:
                if other[1] >= one[3]:
                    break
                assert not overlap(one, other), (one, other)
    for text in texts:
        for box in boxes:
            assert not overlap(text, box) or inside(text, box), (text, box)


def overlap(one, other, slack=0.5):
    return (
        one[0] + slack < other[2]
        and other[0] + slack < one[2]
        and one[1] + slack < other[3]
        and other[1] + slack < one[3]
    )


def inside(text, box, slack=0.5):
    return (
        text[0] >= box[0] - slack
        and text[2] <= box[2] + slack
        and text[1] >= box[1] - slack
        and text[3] <= box[3] + slack
    )
