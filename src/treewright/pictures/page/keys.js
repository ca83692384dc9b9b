// The keyboard, as in other trees on the web: arrows walk, Enter folds and unfolds.

const PAN_STEP = 60;

function placeBeside(at, step) {
  const order = inReadingOrder();
  const position = order.indexOf(at) + step;
  return order[Math.min(Math.max(position, 0), order.length - 1)];
}

// Places as one reads them: a node, then all below it, then its next sibling.
function inReadingOrder() {
  const order = [];
  const waiting = [0];
  while (waiting.length) {
    const at = waiting.pop();
    order.push(at);
    waiting.push(...[...drawing.places[at].children].reverse());
  }
  return order;
}

function walkTo(at) {
  const key = keyOf(drawing.places[at]);
  activate(key);
  reveal(key);
}

const treeKeys = {
  ArrowDown: (at) => walkTo(placeBeside(at, 1)),
  ArrowUp: (at) => walkTo(placeBeside(at, -1)),
  Home: () => walkTo(0),
  End: () => walkTo(inReadingOrder().pop()),
  Enter: (at, event) => toggle(active, event.shiftKey),
  " ": (at, event) => toggle(active, event.shiftKey),
  ArrowRight: (at) => {
    const { children, group, node } = drawing.places[at];
    if (children.length) walkTo(children[0]);
    else if (group || !isLeaf(node)) toggle(active);
  },
  ArrowLeft: (at) => {
    const { children, parent } = drawing.places[at];
    if (children.length) toggle(active);
    else if (parent >= 0) walkTo(parent);
  },
  "+": () => zoomBy(1.25),
  "=": () => zoomBy(1.25),
  "-": () => zoomBy(0.8),
  0: () => fitView(),
  1: () => scaleTo(1, 1),
};
const panKeys = { ArrowDown: [0, -1], ArrowUp: [0, 1], ArrowRight: [-1, 0], ArrowLeft: [1, 0] };

treeElement.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey) return;
  if (event.altKey || !(event.key in treeKeys)) {
    if (!event.altKey || !(event.key in panKeys)) return;
    panBy(...panKeys[event.key].map((step) => step * PAN_STEP));
  } else {
    treeKeys[event.key](placeOfKey.get(active), event);
    if (!"+=-01".includes(event.key)) reveal(active);
  }
  event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches("input, select, textarea")) return;
  event.preventDefault();
  searchField.focus();
});
