// What is folded and unfolded: by click, by key, to a depth, on the way to a node.

const MORE_BRANCHES = 24; // that a click on the box of further branches brings
const status = document.getElementById("status");

function announce(text) {
  status.textContent = text;
}

function restoreFolds() {
  folding.isOpen.fill(0);
  for (const node of data.open) folding.isOpen[node] = 1;
  folding.nBranches.clear();
}

function foldToDepth(depth) {
  for (let node = 0; node < nNodes; node += 1) {
    folding.isOpen[node] = !isLeaf(node) && depthOf[node] < depth ? 1 : 0;
  }
}

// Open or close a node; `whole` takes everything below it along.
function toggle(key, whole = false) {
  const place = drawing.places[placeOfKey.get(key)];
  if (place.group) {
    showMoreBranches(place);
  } else if (!isLeaf(place.node)) {
    const opens = !folding.isOpen[place.node];
    folding.isOpen[place.node] = opens ? 1 : 0;
    if (whole) setBelow(place.node, opens ? 1 : 0);
    announce(
      opens ? `unfolded: ${counted(data.nChildren[place.node], "branch", "branches")}` : "folded",
    );
  }
  activate(key);
  const wasHuge = isHuge();
  rearrange(key);
  if (isHuge() && !wasHuge) fitView();
}

function setBelow(node, value) {
  const waiting = [node];
  while (waiting.length) {
    const at = waiting.pop();
    if (isLeaf(at)) continue;
    folding.isOpen[at] = value;
    waiting.push(...childrenOf(at));
  }
}

function showMoreBranches(place) {
  const shown = data.nChildren[place.node] - place.group.length;
  folding.nBranches.set(place.node, shown + 1 + MORE_BRANCHES);
  announce(`${place.group.length} branches were left out`);
}

function openTo(node) {
  for (const above of pathTo(node)) {
    folding.keep.add(above);
    if (above !== node) folding.isOpen[above] = 1;
  }
}

// Make a place the one that the keyboard is at, and tell about it in the panel.
function activate(key) {
  if (key === active) return;
  const before = placeOfKey.get(active);
  active = key;
  for (const at of [before, placeOfKey.get(key)]) {
    drawn.nodes.get(at)?.remove();
    drawn.nodes.delete(at);
  }
  describe(parseInt(key, 10));
  redraw();
}

function goTo(node) {
  openTo(node);
  rearrange();
  activate(String(node));
  describe(node);
  reveal(String(node));
}
