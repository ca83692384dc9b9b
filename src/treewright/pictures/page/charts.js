// The charts in the boxes: class bars, histograms of predictions, and the rows at a split.

const { N_BINS, THINNEST_BAR, SPLIT_HEIGHT, ENDS_SIZE, POINT, BAR_GAP } = data.look;

function chartOf(place, box, left, top, width) {
  const split = splitOf(place);
  if (split) return splitChart(split, left, top, width);
  return nClasses ? classBar(place, left, top, width) : histogram(place, left, top, width);
}

// ------------------------------------------------------------------------------- the rows at a split

// The training rows by the column that is asked: bars by class, or points of a sample.
function splitChart(split, left, top, width) {
  const bottom = top + SPLIT_HEIGHT - 6;
  const high = SPLIT_HEIGHT - 10;
  const parts = [shape("path", { d: `M${left} ${bottom}h${width}`, stroke: LINE })];
  if (split.bars) parts.push(...splitBars(split.bars, left, bottom, width, high));
  else parts.push(...splitPoints(split.points, left, bottom, width, high));
  for (const cut of split.cuts) {
    const x = left + cut * width;
    const line = { stroke: INK, "stroke-dasharray": "3 2" };
    parts.push(shape("path", { d: `M${x} ${top}V${bottom}`, ...line }));
    parts.push(shape("path", { d: `M${x} ${bottom}l-4 6h8z`, fill: INK }));
  }
  return parts;
}

// The smallest and the largest number of the column, below its ends.
function endLabels(place, box) {
  const { ends } = splitOf(place) || {};
  if (!ends) return [];
  const [left, width] = [box.x + PADDING, box.width - 2 * PADDING];
  const y = box.y + PADDING - 2 + TITLE_LINE + SPLIT_HEIGHT + ENDS_SIZE + 0.5;
  const [low, high] = ends.map((text) => fitted(text, width / 2 - 6, rulers.end));
  const looks = { y, "font-size": ENDS_SIZE, fill: FAINT_INK };
  return [
    shape("text", { x: left, "text-anchor": "start", ...looks }, low),
    shape("text", { x: left + width, "text-anchor": "end", ...looks }, high),
  ];
}

function splitBars(bars, left, bottom, width, high) {
  const step = width / bars.length;
  const sums = bars.map((bar) => bar.reduce((sum, [, weight]) => sum + weight, 0));
  const highest = Math.max(...sums) || 1;
  const parts = [];
  bars.forEach((bar, at) => {
    let below = bottom;
    for (const [code, weight] of bar) {
      const height = (high * weight) / highest;
      if (height <= THINNEST_BAR) continue;
      below -= height;
      const place = { x: left + (at + BAR_GAP / 2) * step, y: below };
      const size = { width: (1 - BAR_GAP) * step, height };
      parts.push(shape("rect", { ...place, ...size, fill: classColors[code] }));
    }
  });
  return parts;
}

function splitPoints(points, left, bottom, width, high) {
  return points.map(([x, y]) =>
    shape("circle", {
      cx: left + (x / 1000) * width,
      cy: bottom - (y / 1000) * high,
      r: POINT,
      fill: NUMBERS,
      opacity: 0.55,
    }),
  );
}

// ------------------------------------------------------------------------------- predictions

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
    const fill = classColors[at];
    if (size > THINNEST_BAR) {
      parts.push(shape("rect", { x: start, y: top, width: size, height: BAR_HEIGHT, fill }));
    }
    start += size;
  });
  return parts;
}

const answerRange = [Infinity, -Infinity];
let leafWeights = null; // of every node: training weight of the leaves below in bins of predictions

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

// Where the prediction of a node lies between the smallest and the largest of all leaves, 0 to 1.
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

