// The picture on the page. Only what is in view is drawn; from afar, boxes without their words.

const MOST_DETAILED = 1200; // boxes with words at one time
const READABLE = 0.3; // the least scale at which many boxes are drawn with their words
const LEAST_SCALE = 0.0002,
  MOST_SCALE = 4,
  START_SCALE = 0.65,
  LARGEST_FIT = 1.3;
const MARGIN = 24,
  BESIDE_VIEW = 120;

const treeElement = document.getElementById("tree");
const world = document.getElementById("world");
const layers = { overview: shape("g", {}), edges: shape("g", {}), nodes: shape("g", {}) };
world.append(layers.overview, layers.edges, layers.nodes);

const folding = {
  isOpen: new Uint8Array(nNodes), // whose branches are shown
  nBranches: new Map(), // node -> how many of its branches, where it has very many
  keep: new Set(), // branches that are not put into a group
};
const view = { x: 0, y: 0, scale: 1 };
let direction = data.direction;
let way = null; // the row that is followed: what `follow` told
let found = new Set(); // nodes that a search found
let active = "0"; // key of the place that the keyboard is at
let drawing = null; // what `arranged` made
let placeOfKey = new Map();
let drawn = { nodes: new Map(), edges: new Map() }; // place -> its element
let isPrinting = false;
let frameAsked = 0;

function keyOf(place) {
  return place.group ? `${place.node}-rest` : String(place.node);
}

function viewSize() {
  return [treeElement.clientWidth || 1, treeElement.clientHeight || 1];
}

// ------------------------------------------------------------------------------- arranging

// Arrange anew after something was folded, unfolded or marked; `anchor`, a key, stays where it is.
function rearrange(anchor = active) {
  const before = drawing && boxAt(anchor);
  drawing = arranged(folding, way, direction);
  placeOfKey = new Map(drawing.places.map((place, at) => [keyOf(place), at]));
  if (!placeOfKey.has(active)) active = keyOf(drawing.places[nearestPlace(parseInt(active, 10))]);
  const after = boxAt(anchor);
  if (before && after) {
    view.x += (before.x - after.x) * view.scale;
    view.y += (before.y - after.y) * view.scale;
  }
  remake();
}

// Draw everything anew where it stands.
function remake() {
  for (const layer of Object.values(layers)) layer.replaceChildren();
  drawn = { nodes: new Map(), edges: new Map() };
  redraw();
}

function boxAt(key) {
  return placeOfKey.has(key) ? drawing.boxes[placeOfKey.get(key)] : null;
}

// The place of a node, or of the nearest node above it that is shown.
function nearestPlace(node) {
  let at = node;
  while (!placeOfKey.has(String(at)) && parentOf[at] >= 0) at = parentOf[at];
  return placeOfKey.get(String(at)) || 0;
}

// ------------------------------------------------------------------------------- drawing

function redraw() {
  if (!frameAsked) frameAsked = requestAnimationFrame(drawNow);
}

function drawNow() {
  cancelAnimationFrame(frameAsked);
  frameAsked = 0;
  world.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
  const area = isPrinting ? [-Infinity, -Infinity, Infinity, Infinity] : areaInView();
  const inView = placesIn(area);
  const isDetailed =
    inView.length <= (view.scale >= READABLE || isPrinting ? MOST_DETAILED : MOST_DETAILED / 3);
  layers.overview.style.display = isDetailed ? "none" : "";
  if (!isDetailed && !layers.overview.firstChild) layers.overview.append(...overviewShapes());
  const current = placeOfKey.get(active);
  const nodes = isDetailed ? [...new Set([...inView, current])] : [current];
  const edges = isDetailed ? edgesIn(area) : [];
  keepOnly(layers.edges, drawn.edges, edges, edgeElement);
  keepOnly(layers.nodes, drawn.nodes, nodes, nodeElement);
  treeElement.setAttribute("aria-activedescendant", `node-${active}`);
  document.getElementById("scale").textContent = percent(view.scale);
}

// Elements of `wanted` places in a layer: what left the view goes, what came is made.
function keepOnly(layer, elements, wanted, make) {
  const stays = new Set(wanted);
  for (const [place, element] of elements) {
    if (stays.has(place)) continue;
    element.remove();
    elements.delete(place);
  }
  for (const place of wanted) {
    if (elements.has(place)) continue;
    const element = make(place);
    elements.set(place, element);
    if (onWay(place)) layer.append(element);
    else layer.prepend(element); // marked edges lie on top
  }
}

function onWay(place) {
  return wayShare(drawing.places[place], way) > 0;
}

function edgeElement(place) {
  return edgeShape(drawing.places[place], drawing.boxes[place], onWay(place));
}

function nodeElement(at) {
  const place = drawing.places[at];
  const box = drawing.boxes[at];
  const marks = { onWay: onWay(at), found: !place.group && found.has(place.node) };
  const hint = shape("title", {}, hintOf(place, box));
  const parts = [hint, ...boxShapes(place, box, marks)];
  if (box.label) parts.push(labelShape(box));
  const element = shape(
    "g",
    { id: `node-${keyOf(place)}`, class: "node", ...ariaOf(place, at) },
    ...parts,
  );
  element.dataset.place = at;
  if (!place.group) element.dataset.node = place.node;
  if (marks.onWay) element.dataset.way = wayShare(place, way);
  element.classList.toggle("active", keyOf(place) === active);
  return element;
}

function hintOf(place, box) {
  if (place.group)
    return `${place.group.length} branches with few training rows: click to show more`;
  const conditions = pathTo(place.node).slice(1).slice(-40).map(conditionText);
  const lines = [...conditions, `node ${place.node}: ${answerText(place.node)}`];
  if (!isLeaf(place.node)) lines.push(box.isOpen ? "click to fold" : "click to unfold");
  return lines.map(shortened).join("\n");
}

function ariaOf(place, at) {
  const siblings = place.parent < 0 ? [at] : drawing.places[place.parent].children;
  const isInner = place.group || !isLeaf(place.node);
  const spoken = place.group ? `${place.group.length} more branches` : spokenNode(place.node);
  return {
    role: "treeitem",
    "aria-label": shortened(spoken),
    "aria-level": place.parent < 0 ? 1 : depthOf[place.node] + (place.group ? 2 : 1),
    "aria-setsize": siblings.length,
    "aria-posinset": siblings.indexOf(at) + 1,
    "aria-selected": keyOf(place) === active,
    ...(isInner ? { "aria-expanded": drawing.boxes[at].isOpen } : {}),
  };
}

// ------------------------------------------------------------------------------- what is in view

function areaInView() {
  const [width, height] = viewSize();
  const beside = BESIDE_VIEW / view.scale;
  return [
    -view.x / view.scale - beside,
    -view.y / view.scale - beside,
    (width - view.x) / view.scale + beside,
    (height - view.y) / view.scale + beside,
  ];
}

function placesIn([left, top, right, bottom]) {
  const inside = [];
  drawing.boxes.forEach((box, at) => {
    const start = Math.min(box.x, box.labelX - box.labelWidth / 2);
    if (
      start < right &&
      box.x + box.width > left &&
      box.y - LABEL_LINE < bottom &&
      box.y + box.height > top
    ) {
      inside.push(at);
    }
  });
  return inside;
}

function edgesIn([left, top, right, bottom]) {
  const inside = [];
  drawing.boxes.forEach((box, at) => {
    if (!box.edge) return;
    const [x, y, toX, toY] = box.edgeArea;
    if (x < right && toX > left && y < bottom && toY > top) inside.push(at);
  });
  return inside;
}

// All edges and boxes as a few long paths, one for each colour.
function overviewShapes() {
  const edges = [[], []];
  const boxes = new Map();
  drawing.places.forEach((place, at) => {
    const box = drawing.boxes[at];
    if (box.edge) edges[onWay(at) ? 1 : 0].push(box.edge);
    const colour = onWay(at) ? PATH : boxColours(place, box)[1];
    if (!boxes.has(colour)) boxes.set(colour, []);
    boxes.get(colour).push(`M${box.x} ${box.y}h${box.width}v${box.height}h${-box.width}z`);
  });
  const line = (paths, stroke, width) =>
    shape("path", {
      d: paths.join(""),
      fill: "none",
      stroke,
      "stroke-width": width,
      "vector-effect": "non-scaling-stroke",
    });
  const areas = [...boxes].map(([fill, paths]) => shape("path", { d: paths.join(""), fill }));
  return [line(edges[0], EDGE, 0.7), line(edges[1], PATH, 2), ...areas];
}

// ------------------------------------------------------------------------------- moving the view

function zoomBy(factor, x, y) {
  const [width, height] = viewSize();
  const [atX, atY] = [x ?? width / 2, y ?? height / 2];
  const scale = Math.min(Math.max(view.scale * factor, LEAST_SCALE), MOST_SCALE);
  view.x = atX - ((atX - view.x) * scale) / view.scale;
  view.y = atY - ((atY - view.y) * scale) / view.scale;
  view.scale = scale;
  redraw();
}

function panBy(x, y) {
  view.x += x;
  view.y += y;
  redraw();
}

function fittingScale() {
  const [width, height] = viewSize();
  return Math.min((width - 2 * MARGIN) / drawing.width, (height - 2 * MARGIN) / drawing.height);
}

function fitView() {
  showAt(Math.max(Math.min(fittingScale(), LARGEST_FIT), LEAST_SCALE));
}

// Readable from the start: a picture that does not fit begins at its root.
function startView() {
  showAt(Math.max(Math.min(fittingScale(), LARGEST_FIT), START_SCALE));
}

function showAt(scale) {
  const [width, height] = viewSize();
  const root = drawing.boxes[0];
  view.scale = scale;
  view.x = (width - drawing.width * scale) / 2;
  view.y = (height - drawing.height * scale) / 2;
  if (drawing.direction === "down") {
    view.y = Math.max(Math.min(view.y, 2 * MARGIN), MARGIN);
    if (drawing.width * scale > width - 2 * MARGIN)
      view.x = width / 2 - (root.x + root.width / 2) * scale;
  } else {
    view.x = Math.max(view.x, MARGIN);
    if (drawing.width * scale > width - 2 * MARGIN) view.x = MARGIN;
    if (drawing.height * scale > height - 2 * MARGIN) {
      view.y = height / 2 - (root.y + root.height / 2) * scale;
    }
  }
  redraw();
}

// Move as little as it takes to have a box in view, large enough to be read.
function reveal(key) {
  const box = boxAt(key);
  if (view.scale < READABLE) view.scale = START_SCALE;
  const [width, height] = viewSize();
  const inside = (start, size, offset, room) => {
    const from = start * view.scale + offset;
    const to = from + size * view.scale;
    return from >= MARGIN && to <= room - MARGIN
      ? offset
      : room / 2 - (start + size / 2) * view.scale;
  };
  view.x = inside(box.x, box.width, view.x, width);
  view.y = inside(box.y - LABEL_LINE, box.height + LABEL_LINE, view.y, height);
  redraw();
}
