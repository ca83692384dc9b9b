// What is folded and unfolded: by click, by key, to a depth, on the way to a node.

const MORE_BRANCHES = 24; // that a click on the box of further branches brings
const [FEWEST_OPEN, MOST_OPEN] = [3, 60]; // splits that a window may have room for
const status = document.getElementById("status");

function announce(text) {
  status.textContent = text;
}

function restoreFolds() {
  folding.isOpen.fill(0);
  for (const node of data.open) folding.isOpen[node] = 1;
  folding.nBranches.clear();
}

// As drawn, but only as much as the window has room for at a size that can be read; the nodes with
// most rows stay open. Where not even the first splits have room, the window shows a part of all.
function foldToWindow() {
  restoreFolds();
  const opened = [...data.open].sort(
    (one, other) => prominence(other) - prominence(one) || one - other,
  );
  const fitsWith = (nOpen) => {
    folding.isOpen.fill(0);
    for (const node of opened.slice(0, nOpen)) folding.isOpen[node] = 1;
    chooseDirection();
    return Math.min(...fittingScales(arranged(folding, way, direction))) >= LEGIBLE;
  };
  for (let nOpen = Math.min(opened.length, MOST_OPEN); nOpen >= FEWEST_OPEN; nOpen -= 1) {
    if (fitsWith(nOpen)) return nOpen === opened.length;
  }
  restoreFolds();
  return true;
}

// As Python chooses what a picture shows: training weight, less for deeper nodes.
function prominence(node) {
  return data.weight[node] * data.look.FADING ** depthOf[node];
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
