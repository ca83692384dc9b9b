// The tree, and where it sends a row: step by step as the model does it in Python.

const LEAF = 0,
  THRESHOLD = 1,
  BRANCHES = 2,
  INTERVALS = 3,
  SUBSET = 4,
  OBLIQUE = 5;
const STOP = -1,
  SPREAD = -2; // in data.missing, where it is not the number of a child
const MISSING = -1,
  UNSEEN = -2; // codes of levels in a row; a missing number is null

const data = JSON.parse(document.getElementById("tree-data").textContent);
const nNodes = data.kind.length;
const nClasses = data.classes ? data.classes.length : 0;
const parentOf = new Int32Array(nNodes).fill(-1);
const depthOf = new Int32Array(nNodes);
const nBelow = new Int32Array(nNodes); // nodes in the subtree, without the node itself
const shareStart = new Int32Array(nNodes + 1);

for (let node = 0; node < nNodes; node += 1) {
  for (const child of childrenOf(node)) {
    parentOf[child] = node;
    depthOf[child] = depthOf[node] + 1;
  }
  if (nClasses) shareStart[node + 1] = shareStart[node] + data.shareCount[node];
}
for (let node = nNodes - 1; node > 0; node -= 1) nBelow[parentOf[node]] += nBelow[node] + 1;
const deepest = depthOf.reduce((most, depth) => Math.max(most, depth), 0);

function childrenOf(node) {
  const first = data.firstChild[node];
  return Array.from({ length: data.nChildren[node] }, (_, at) => first + at);
}

function isLeaf(node) {
  return data.kind[node] === LEAF;
}

function pathTo(node) {
  const path = [node];
  while (parentOf[path[0]] >= 0) path.unshift(parentOf[path[0]]);
  return path;
}

// A number that comes with its text is a string if it can be read back from it, else a pair.
function numberIn(written) {
  return typeof written === "string" ? Number(written) : written[1];
}

function textIn(written) {
  return typeof written === "string" ? written : written[0];
}

function cutsOf(node) {
  return data.kind[node] === THRESHOLD ? [data.cut[node]] : data.intervals[node];
}

// ------------------------------------------------------------------------------- answers

// Class shares of a node; sums run in the order of the classes, as in Python, to the last bit.
function sharesOf(node) {
  const shares = new Array(nClasses).fill(0);
  for (let at = shareStart[node]; at < shareStart[node + 1]; at += 1) {
    const weight = data.shareWeight[at];
    const place = data.shareClass[at];
    shares[place] = data.valuesAreShares ? weight : weight * data.classFactor[place];
  }
  if (data.valuesAreShares) return shares;
  const total = shares.reduce((sum, weight) => sum + weight, 0);
  return shares.map((weight) => weight / total);
}

function valuesOf(node) {
  return nClasses ? sharesOf(node) : [numberIn(data.mean[node])];
}

// The most probable or the cheapest class, the first of those that differ by rounding only.
function decide(shares) {
  if (!data.costs) {
    const enough = Math.max(...shares) * (1 - data.tie);
    return shares.findIndex((share) => share >= enough);
  }
  const expected = shares.map(() => 0);
  shares.forEach((share, at) => {
    data.costs[at].forEach((price, to) => {
      expected[to] += share * price;
    });
  });
  const enough = Math.min(...expected) + data.tie * Math.max(...expected.map(Math.abs));
  return expected.findIndex((cost) => cost <= enough);
}

function classOf(node) {
  return decide(sharesOf(node));
}

// ------------------------------------------------------------------------------- one step

// The number of the child that a node's own question leads to; null if the value is not known.
function answeredBy(node, row) {
  const kind = data.kind[node];
  if (kind === OBLIQUE) return answeredBySum(data.sums[node], row);
  const column = data.feature[node];
  if (kind === THRESHOLD || kind === INTERVALS) {
    return answeredByCuts(column, cutsOf(node).map(numberIn), row);
  }
  const [codes, children, other] = data.levels[node];
  return answeredByLevels(column, codes, children, other, row);
}

function answeredByCuts(column, cuts, row) {
  const value = row[column];
  const isKnown = data.columns[column].levels ? value >= 0 : value !== null;
  return isKnown ? cuts.filter((cut) => !(value <= cut)).length : null;
}

function answeredByLevels(column, codes, children, other, row) {
  if (row[column] < 0) return null;
  const at = codes.indexOf(row[column]);
  if (at >= 0) return children[at];
  return other >= 0 ? other : null;
}

function answeredBySum({ columns, weights, cut }, row) {
  if (columns.some((column) => row[column] === null)) return null;
  const total = columns.reduce((sum, column, at) => sum + weights[at] * row[column], 0);
  return total <= cut ? 0 : 1;
}

function answeredBySurrogate({ column, cut, flip, codes, children }, row) {
  if (codes) return answeredByLevels(column, codes, children, -1, row);
  const side = answeredByCuts(column, [cut], row);
  return side === null || !flip ? side : 1 - side;
}

// What becomes of a row at a node: `how` it is decided, and who gets which share of it.
function stepAt(node, row) {
  if (isLeaf(node)) return { how: "leaf", heirs: [] };
  const first = data.firstChild[node];
  const child = answeredBy(node, row);
  if (child !== null) return { how: "question", heirs: [[first + child, 1]] };
  const column = data.feature[node];
  if (column >= 0 && row[column] === UNSEEN && data.unseen === "majority") {
    return { how: "unseen", heirs: [[heaviestChild(node), 1]] };
  }
  for (const surrogate of data.surrogates[node] || []) {
    const side = answeredBySurrogate(surrogate, row);
    if (side !== null) return { how: "surrogate", surrogate, heirs: [[first + side, 1]] };
  }
  const missing = data.missing[node];
  if (missing === STOP) return { how: "stop", heirs: [] };
  if (missing !== SPREAD) return { how: "missing", heirs: [[first + missing, 1]] };
  return { how: "spread", heirs: spreadBelow(node) };
}

function heaviestChild(node) {
  return childrenOf(node).reduce((best, child) =>
    data.weight[child] > data.weight[best] ? child : best,
  );
}

function spreadBelow(node) {
  const children = childrenOf(node);
  const total = children.reduce((sum, child) => sum + data.weight[child], 0);
  const taking = children.filter((child) => data.weight[child] > 0);
  return taking.map((child) => [child, data.weight[child] / total]);
}

// ------------------------------------------------------------------------------- a whole row

// All nodes that a row passes with its share there, the nodes that answer, and the answer.
function follow(row) {
  const shares = new Map();
  const steps = [];
  const ends = [];
  let values = null;
  const waiting = [[0, 1]];
  while (waiting.length) {
    const [node, share] = waiting.pop();
    const step = stepAt(node, row);
    shares.set(node, share);
    steps.push({ node, share, ...step });
    for (const [heir, part] of [...step.heirs].reverse()) waiting.push([heir, share * part]);
    if (step.heirs.length) continue;
    const parts = valuesOf(node).map((value) => share * value);
    values = values ? values.map((value, at) => value + parts[at]) : parts;
    ends.push({ node, share });
  }
  return { shares, steps, ends, values, answer: nClasses ? decide(values) : null };
}

// Columns whose level training never met, where the model refuses such rows.
function refusedColumns(row) {
  if (data.unseen !== "error") return [];
  return data.columns.flatMap((column, at) => (column.levels && row[at] === UNSEEN ? [at] : []));
}
