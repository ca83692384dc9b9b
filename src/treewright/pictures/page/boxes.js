// Which nodes are in the picture, how large their boxes are, and where everything stands.

const {
  FONT,
  TITLE_SIZE,
  NOTE_SIZE,
  TITLE_LINE,
  NOTE_LINE,
  WIDEST_TITLE,
  WIDEST_LABEL,
  NARROWEST,
  PADDING,
  BAR_HEIGHT,
  HISTOGRAM_HEIGHT,
  WIDEST_DOWN,
  LABEL_LINE,
  LABEL_GAP,
  LABEL_END,
  CLEAR,
  SHEET,
  ROW_GAP,
  GAP,
  LEVEL_GAP_DOWN,
  LEVEL_GAP_RIGHT,
  MOST_BRANCHES,
  SPLIT_WIDTH,
  ENDS_LINE,
} = data.look;
const MOST_LETTERS = 300; // of a text that is measured

// ------------------------------------------------------------------------------- widths of texts

const rulers = {
  title: rulerFor(`bold ${TITLE_SIZE}px ${FONT}`),
  note: rulerFor(`${NOTE_SIZE}px ${FONT}`),
  end: rulerFor(`${data.look.ENDS_SIZE}px ${FONT}`),
};

function rulerFor(font) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = font;
  return { context, known: new Map() };
}

// Letters are not as wide at every zoom: a little more room than the ruler says.
function textWidth(text, { context, known }) {
  let width = known.get(text);
  if (width === undefined) {
    width = 1.03 * context.measureText(text).width + 1;
    known.set(text, width);
  }
  return width;
}

// The longest beginning of `letters`, or with `end` the longest end, that fits.
function lettersWithin(letters, width, ruler, end = false) {
  let fits = 0;
  let tooMany = letters.length + 1;
  while (tooMany - fits > 1) {
    const half = (fits + tooMany) >> 1;
    const part = end ? letters.slice(letters.length - half) : letters.slice(0, half);
    if (textWidth(part.join(""), ruler) <= width) fits = half;
    else tooMany = half;
  }
  return fits;
}

function fitted(text, width, ruler) {
  if (text.length <= MOST_LETTERS && textWidth(text, ruler) <= width) return text;
  const letters = Array.from(text.slice(0, MOST_LETTERS));
  const room = width - textWidth("…", ruler);
  return `${letters
    .slice(0, lettersWithin(letters, room, ruler))
    .join("")
    .trimEnd()}…`;
}

// Beginning and end: long names of columns often begin alike.
function fittedInMiddle(text, width, ruler) {
  if (text.length <= MOST_LETTERS && textWidth(text, ruler) <= width) return text;
  const front = Array.from(text.slice(0, MOST_LETTERS));
  const back = Array.from(text.slice(-MOST_LETTERS));
  const room = (width - textWidth("…", ruler)) / 2;
  const nFront = lettersWithin(front, room, ruler);
  const nBack = lettersWithin(back, room, ruler, true);
  return `${front.slice(0, nFront).join("").trimEnd()}…${back
    .slice(back.length - nBack)
    .join("")
    .trimStart()}`;
}

// ------------------------------------------------------------------------------- places

// The places of the picture row by row: one for each node shown, one for the rest of many branches.
// `folding.isOpen` says whose branches are shown, `folding.nBranches` how many of them.
function placesShown(folding) {
  const places = [{ node: 0, group: null, parent: -1, children: [] }];
  for (let at = 0; at < places.length; at += 1) {
    const { node, group } = places[at];
    if (group || !folding.isOpen[node]) continue;
    const [single, rest] = branchesShown(node, folding);
    const below = single.map((child) => ({ node: child, group: null, parent: at, children: [] }));
    if (rest.length) below.push({ node, group: rest, parent: at, children: [] });
    for (const place of below) {
      places[at].children.push(places.length);
      places.push(place);
    }
  }
  return places;
}

function branchesShown(node, folding) {
  const children = childrenOf(node);
  const most = folding.nBranches.get(node) || MOST_BRANCHES;
  if (children.length <= most) return [children, []];
  const wanted = (child) => (folding.keep.has(child) || folding.isOpen[child] ? 1 : 0);
  const order = [...children].sort(
    (one, other) => wanted(other) - wanted(one) || data.weight[other] - data.weight[one],
  );
  const nWanted = children.filter(wanted).length;
  const single = order.slice(0, Math.max(most - 1, nWanted)).sort((one, other) => one - other);
  const rest = order.slice(single.length).sort((one, other) => one - other);
  return [single, rest];
}

// ------------------------------------------------------------------------------- boxes

function boxOf(place, way) {
  const isOpen = place.children.length > 0;
  const title = fittedInMiddle(titleOf(place, isOpen), WIDEST_TITLE, rulers.title);
  const notes = notesOf(place, isOpen, way).map((note) => fitted(note, WIDEST_TITLE, rulers.note));
  const widths = notes.map((note) => textWidth(note, rulers.note));
  const chartHeight = chartHeightOf(place);
  const label = place.parent < 0 ? "" : fitted(labelOf(place), WIDEST_LABEL, rulers.note);
  return {
    title,
    notes,
    label,
    isOpen,
    chartHeight,
    labelWidth: label ? textWidth(label, rulers.note) : 0,
    width: Math.max(
      Math.max(textWidth(title, rulers.title), NARROWEST, ...widths) + 2 * PADDING,
      splitOf(place) ? SPLIT_WIDTH : 0,
    ),
    height: 2 * PADDING - 4 + TITLE_LINE + chartHeight + NOTE_LINE * notes.length,
  };
}

function titleOf(place, isOpen) {
  if (place.group) return "…";
  return isOpen ? questionText(place.node) : answerText(place.node);
}

function labelOf(place) {
  return place.group ? `${place.group.length} others` : branchText(place.node);
}

function notesOf(place, isOpen, way) {
  const { node, group } = place;
  const notes = [];
  if (group) {
    notes.push(
      counted(
        group.reduce((sum, member) => sum + nBelow[member] + 1, 0),
        "node",
      ),
    );
  } else if (isOpen) {
    if (!nClasses) notes.push(`mean ${answerText(node)}`);
    notes.push(support(node), ...(data.remarks[node] || []));
  } else {
    notes.push(evidence(node));
    if (isLeaf(node)) notes.push(...(data.remarks[node] || []));
    else notes.push(`… ${counted(nBelow[node], "node")}`);
  }
  const share = wayShare(place, way);
  if (share > 0 && share < 1) notes.push(`${shareText(share)} of the row`);
  return notes.filter((note) => note);
}

// How much of the row that is followed comes to a place.
function wayShare(place, way) {
  if (!way) return 0;
  if (!place.group) return way.shares.get(place.node) || 0;
  return place.group.reduce((sum, member) => sum + (way.shares.get(member) || 0), 0);
}

function shareText(share) {
  return share > 0 && share < 0.001 ? "under 0.1 %" : `${withoutZeros(fixed(100 * share, 1))} %`;
}

// The training rows at a split that is open, where they are known.
function splitOf(place) {
  return place.children.length && !place.group ? data.splits[place.node] : undefined;
}

function chartHeightOf(place) {
  const split = splitOf(place);
  if (split) return data.look.SPLIT_HEIGHT + (split.ends ? ENDS_LINE : 0);
  if (nClasses) return BAR_HEIGHT;
  const isMixed = place.children.length || place.group || nBelow[place.node] > 1;
  return isMixed ? HISTOGRAM_HEIGHT : 0;
}

// ------------------------------------------------------------------------------- where they stand

const FEW_PLACES = 400; // that are tried in both directions
const PREFERRED = 0.9; // downwards, unless to the right is larger by more than this

// All that is drawn, in pixels from the upper left corner of the drawing.
function arranged(folding, way, direction) {
  const places = placesShown(folding);
  const boxes = places.map((place) => boxOf(place, way));
  const down = direction === "right" ? null : placedDown(places, boxes);
  if (down && (direction === "down" || down.width <= WIDEST_DOWN)) return down;
  return placedRight(places, boxes);
}

// The direction in which the picture is larger in its window.
function betterDirection(folding, way) {
  const places = placesShown(folding);
  if (places.length > FEW_PLACES) return "auto";
  const boxes = places.map((place) => boxOf(place, way));
  const scaleOf = (drawing) => Math.min(...fittingScales(drawing), 1);
  const down = scaleOf(placedDown(places, boxes));
  return down >= PREFERRED * scaleOf(placedRight(places, boxes)) ? "down" : "right";
}

function placedDown(places, boxes) {
  const widths = boxes.map((box) => Math.max(box.width + SHEET, box.labelWidth));
  const heads = boxes.map((box) => (box.label ? LABEL_LINE : 0));
  const heights = boxes.map((box, at) => heads[at] + box.height + SHEET);
  const children = places.map((place) => place.children);
  const layout = tidyLayout(children, widths, heights, GAP, LEVEL_GAP_DOWN);
  places.forEach((place, at) => {
    const box = boxes[at];
    const middle = layout.x[at] + widths[at] / 2;
    box.x = middle - box.width / 2;
    box.y = layout.y[at] + heads[at];
    box.labelX = middle;
    box.labelY = layout.y[at] + NOTE_SIZE + 2;
    if (place.parent < 0) return;
    const above = boxes[place.parent];
    const [x, y] = [above.x + above.width / 2, above.y + above.height];
    const end = layout.rowEnd[place.parent];
    const half = (end + layout.y[at]) / 2;
    const start = layout.y[at];
    const curve = `C${x} ${half} ${middle} ${half} ${middle} ${start}`;
    box.edge = `M${x} ${y}V${end}${curve}V${start + CLEAR}`;
    box.edgeArea = [Math.min(x, middle), y, Math.max(x, middle), box.y];
  });
  return { places, boxes, direction: "down", width: layout.width, height: layout.height };
}

function placedRight(places, boxes) {
  const heads = boxes.map((box) => (box.label ? box.labelWidth + LABEL_GAP : 0));
  for (const { children } of places) {
    // boxes of siblings stand in line
    const widest = children.reduce((most, child) => Math.max(most, heads[child]), 0);
    for (const child of children) heads[child] = widest;
  }
  const widths = boxes.map((box, at) => heads[at] + box.width + SHEET);
  const heights = boxes.map((box) => box.height + SHEET);
  const children = places.map((place) => place.children);
  // The layout grows downwards: what is broad for it is high for us.
  const layout = tidyLayout(children, heights, widths, ROW_GAP, LEVEL_GAP_RIGHT);
  places.forEach((place, at) => {
    const box = boxes[at];
    const start = layout.y[at];
    const middle = layout.x[at] + box.height / 2;
    box.x = start + heads[at];
    box.y = layout.x[at];
    box.labelX = box.x - LABEL_END - box.labelWidth / 2;
    box.labelY = middle + NOTE_SIZE / 3;
    if (place.parent < 0) return;
    const above = boxes[place.parent];
    const [x, y] = [above.x + above.width, above.y + above.height / 2];
    const end = layout.rowEnd[place.parent];
    const half = (end + start) / 2;
    const curve = `C${half} ${y} ${half} ${middle} ${start} ${middle}`;
    const labelStart = box.x - LABEL_END - box.labelWidth;
    box.edge = `M${x} ${y}H${end}${curve}H${labelStart - CLEAR}`;
    box.edgeArea = [x, Math.min(y, middle), box.x, Math.max(y, middle)];
  });
  return { places, boxes, direction: "right", width: layout.height, height: layout.width };
}
