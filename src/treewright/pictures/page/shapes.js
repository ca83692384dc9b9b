// SVG elements of boxes, charts, labels and edges. Texts are text nodes: no name becomes markup.

const SVG = "http://www.w3.org/2000/svg";
const {
  INK,
  FAINT_INK,
  LINE,
  EDGE,
  PAPER,
  PATH,
  NUMBERS,
  WIDEST_EDGE,
  THINNEST_EDGE,
  MARKED_LINE,
  THINNEST_BAR,
  LEAST_TINT,
  MOST_TINT,
  MOST_NUMBER_TINT,
  N_BINS,
} = data.look;
const FOUND = "#6a00f4"; // the rim of what a search found; no class has this color

function shape(name, attributes, ...content) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...content);
  return element;
}

function mixed(color, share) {
  const parts = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  return `rgb(${parts.map((part) => Math.round(share * part + (1 - share) * 255)).join(" ")})`;
}

// ------------------------------------------------------------------------------- charts

// Class shares at a place; of a group, the mean of its members by weight.
function placeShares(place) {
  if (!place.group) return sharesOf(place.node);
  const total = place.group.reduce((sum, member) => sum + data.weight[member], 0);
  const shares = new Array(nClasses).fill(0);
  for (const member of place.group) {
    const part = total ? data.weight[member] / total : 1 / place.group.length;
    sharesOf(member).forEach((share, at) => {
      shares[at] += part * share;
    });
  }
  return shares;
}

function classBar(place, left, top, width) {
  const parts = [];
  let start = left;
  placeShares(place).forEach((share, at) => {
    const size = width * share;
    const fill = data.colors[at];
    if (size > THINNEST_BAR) {
      parts.push(shape("rect", { x: start, y: top, width: size, height: BAR_HEIGHT, fill }));
    }
    start += size;
  });
  return parts;
}

const answerRange = [Infinity, -Infinity];
let leafWeights = null; // of every node: training weight of the leaves below in bins of answers

function binned() {
  if (leafWeights) return leafWeights;
  leafWeights = new Float64Array(nNodes * N_BINS);
  const hasWeight = data.weight[0] > 0;
  for (let node = nNodes - 1; node >= 0; node -= 1) {
    const at = node * N_BINS;
    if (isLeaf(node)) {
      const bin = Math.min(Math.floor(position(node) * N_BINS), N_BINS - 1);
      leafWeights[at + bin] += hasWeight ? data.weight[node] : 1;
    }
    if (!node) break;
    const above = parentOf[node] * N_BINS;
    for (let bin = 0; bin < N_BINS; bin += 1) leafWeights[above + bin] += leafWeights[at + bin];
  }
  return leafWeights;
}

// Where the answer of a node lies between the least and the largest of all leaves, 0 to 1.
function position(node) {
  if (answerRange[0] > answerRange[1]) {
    for (let leaf = 0; leaf < nNodes; leaf += 1) {
      if (!isLeaf(leaf)) continue;
      answerRange[0] = Math.min(answerRange[0], numberIn(data.mean[leaf]));
      answerRange[1] = Math.max(answerRange[1], numberIn(data.mean[leaf]));
    }
  }
  const [low, high] = answerRange;
  if (!(high > low)) return 0.5;
  return Math.min(Math.max((numberIn(data.mean[node]) - low) / (high - low), 0), 1);
}

function histogram(place, left, top, width) {
  const weights = new Array(N_BINS).fill(0);
  for (const node of place.group || [place.node]) {
    for (let bin = 0; bin < N_BINS; bin += 1) weights[bin] += binned()[node * N_BINS + bin];
  }
  const bottom = top + HISTOGRAM_HEIGHT - 3;
  const highest = Math.max(...weights) || 1;
  const step = width / N_BINS;
  const parts = [shape("path", { d: `M${left} ${bottom}h${width}`, stroke: LINE })];
  weights.forEach((weight, bin) => {
    if (!weight) return;
    const height = Math.max(((HISTOGRAM_HEIGHT - 5) * weight) / highest, 1);
    const x = left + bin * step + 0.5;
    parts.push(shape("rect", { x, y: bottom - height, width: step - 1, height, fill: NUMBERS }));
  });
  const x = left + width * position(place.node) - 0.75;
  parts.push(shape("rect", { x, y: top, width: 1.5, height: HISTOGRAM_HEIGHT - 1, fill: INK }));
  return parts;
}

// ------------------------------------------------------------------------------- boxes and edges

// White where a question stands; otherwise a tint of the class, or the darker the larger a number.
function boxColors(place, box) {
  if (box.isOpen) return [PAPER, LINE];
  if (!nClasses) {
    const tint = LEAST_TINT + (MOST_NUMBER_TINT - LEAST_TINT) * position(place.node);
    return [mixed(NUMBERS, tint), NUMBERS];
  }
  const shares = placeShares(place);
  const answer = place.group ? shares.indexOf(Math.max(...shares)) : classOf(place.node);
  const tint = LEAST_TINT + (MOST_TINT - LEAST_TINT) * shares[answer] ** 2;
  return [mixed(data.colors[answer], tint), data.colors[answer]];
}

function boxShapes(place, box, marks) {
  const [fill, stroke] = boxColors(place, box);
  const frame = { width: box.width, height: box.height, rx: 6, fill, stroke };
  if (marks.onWay) Object.assign(frame, { stroke: PATH, "stroke-width": MARKED_LINE });
  const isStack = !box.isOpen && (place.group || !isLeaf(place.node));
  const sheets = (isStack ? [3, 0] : [0]).map((by) =>
    shape("rect", { class: "box", x: box.x + by, y: box.y + by, ...frame }),
  );
  if (marks.found) {
    const rim = { x: box.x - 3, y: box.y - 3, width: box.width + 6, height: box.height + 6, rx: 8 };
    sheets.push(
      shape("rect", { class: "found", ...rim, fill: "none", stroke: FOUND, "stroke-width": 2 }),
    );
  }
  return [...sheets, ...textShapes(place, box)];
}

function textShapes(place, box) {
  const middle = box.x + box.width / 2;
  let line = box.y + PADDING - 2;
  const title = {
    x: middle,
    y: line + TITLE_SIZE - 0.5,
    "font-size": TITLE_SIZE,
    "font-weight": "bold",
  };
  const parts = [shape("text", title, box.title)];
  line += TITLE_LINE;
  if (box.chartHeight) {
    const draw = nClasses ? classBar : histogram;
    parts.push(...draw(place, box.x + PADDING, line, box.width - 2 * PADDING));
    line += box.chartHeight;
  }
  for (const note of box.notes) {
    parts.push(shape("text", { x: middle, y: line + NOTE_SIZE + 1.5, fill: FAINT_INK }, note));
    line += NOTE_LINE;
  }
  return parts;
}

function labelShape(box) {
  const rim = {
    stroke: PAPER,
    "stroke-width": 4,
    "stroke-linejoin": "round",
    "paint-order": "stroke",
  };
  return shape("text", { class: "label", x: box.labelX, y: box.labelY, ...rim }, box.label);
}

// As wide as the share of the training weight that goes along.
function edgeWidth(place) {
  if (!data.weight[0]) return THINNEST_EDGE;
  const members = place.group || [place.node];
  const share = members.reduce((sum, member) => sum + data.weight[member], 0) / data.weight[0];
  return THINNEST_EDGE + (WIDEST_EDGE - THINNEST_EDGE) * share;
}

function edgeShape(place, box, onWay) {
  const width = edgeWidth(place);
  return shape("path", {
    class: "edge",
    d: box.edge,
    fill: "none",
    stroke: onWay ? PATH : EDGE,
    "stroke-width": onWay ? Math.max(width, MARKED_LINE) : width,
  });
}
