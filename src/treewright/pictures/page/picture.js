// The picture on the page. Only what is in view is drawn; from afar, boxes without their words.

const MOST_DETAILED = 1200; // boxes with words at one time

const treeElement = document.getElementById("tree");
const world = document.getElementById("world");
const layers = { overview: shape("g", {}), edges: shape("g", {}), nodes: shape("g", {}) };
world.append(layers.overview, layers.edges, layers.nodes);

const folding = {
  isOpen: new Uint8Array(nNodes), // whose branches are shown
  nBranches: new Map(), // node -> how many of its branches, where it has very many
  keep: new Set(), // branches that are not put into a group
};
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

// ------------------------------------------------------------------------------- arranging

// Arrange anew after something was folded, unfolded or marked; `anchor`, a key, stays where it is.
function rearrange(anchor = active) {
  const before = drawing && boxAt(anchor);
  drawing = arranged(folding, way, direction);
  placeOfKey = new Map(drawing.places.map((place, at) => [keyOf(place), at]));
  if (!placeOfKey.has(active)) active = keyOf(drawing.places[nearestPlace(parseInt(active, 10))]);
  const after = boxAt(anchor);
  if (before && after) {
    view.x += (before.x - after.x) * view.scaleX;
    view.y += (before.y - after.y) * view.scaleY;
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
  world.setAttribute("transform", viewTransform());
  const area = isPrinting ? [-Infinity, -Infinity, Infinity, Infinity] : areaInView();
  const inView = placesIn(area);
  const most = view.scaleX >= READABLE || isPrinting ? MOST_DETAILED : MOST_DETAILED / 3;
  const isDetailed = inView.length <= most && !isStretched();
  layers.nodes.style.opacity = isStretched() ? 0 : 1;
  layers.overview.style.display = isDetailed ? "none" : "";
  if (!isDetailed && !layers.overview.firstChild) layers.overview.append(...overviewShapes());
  const current = placeOfKey.get(active);
  const nodes = isDetailed ? [...new Set([...inView, current])] : [current];
  const edges = isDetailed ? edgesIn(area) : [];
  keepOnly(layers.edges, drawn.edges, edges, edgeElement);
  keepOnly(layers.nodes, drawn.nodes, nodes, nodeElement);
  treeElement.setAttribute("aria-activedescendant", `node-${active}`);
  showCue();
  document.getElementById("scale").textContent = scaleText();
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
  const parts = [...(box.label ? [labelShape(box)] : []), ...boxShapes(place, box, marks)];
  const element = shape(
    "g",
    { id: `node-${keyOf(place)}`, class: "node", ...ariaOf(place, at) },
    ...[hint, ...parts].flatMap((part) => [part, " "]), // words of their own, when read aloud
  );
  element.dataset.place = at;
  if (!place.group) element.dataset.node = place.node;
  if (marks.onWay) element.dataset.way = wayShare(place, way);
  element.classList.toggle("active", keyOf(place) === active);
  // Numbers at the ends of a chart are not part of the name of the node.
  const frame = shape("g", { role: "presentation" }, element, ...endLabels(place, box));
  frame.dataset.place = at;
  return frame;
}

function hintOf(place, box) {
  if (place.group)
    return `${place.group.length} branches with few training rows: click to show more`;
  const conditions = mergedConditions(place.node).map(({ text }) => text);
  const verb = isLeaf(place.node) ? "predicts" : "would predict";
  const answer = `${nClasses || !data.target ? "" : `${data.target} `}${answerText(place.node)}`;
  const lines = [...conditions.slice(-40), `node ${place.node}: ${verb} ${answer}`];
  if (exactSupport(place.node)) lines.push(exactSupport(place.node));
  if (!isLeaf(place.node)) lines.push(box.isOpen ? "click to fold" : "click to unfold");
  return lines.map(shortened).join("\n");
}

function ariaOf(place, at) {
  const siblings = place.parent < 0 ? [at] : drawing.places[place.parent].children;
  const isInner = place.group || !isLeaf(place.node);
  const spoken = spokenNode(place, drawing.boxes[at]);
  return {
    role: "treeitem",
    "aria-label": spoken,
    "aria-level": place.parent < 0 ? 1 : depthOf[place.node] + (place.group ? 2 : 1),
    "aria-setsize": siblings.length,
    "aria-posinset": siblings.indexOf(at) + 1,
    "aria-selected": keyOf(place) === active,
    ...(isInner ? { "aria-expanded": drawing.boxes[at].isOpen } : {}),
  };
}

// ------------------------------------------------------------------------------- what is in view

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

// All edges and boxes as a few long paths, one for each color; what is marked has lines of a width
// that can be seen at any size, and lies on top.
function overviewShapes() {
  const edges = new Map([
    [EDGE, []],
    [PATH, []],
  ]);
  const boxes = new Map([
    [FOUND, []],
    [PATH, []],
  ]);
  drawing.places.forEach((place, at) => {
    const box = drawing.boxes[at];
    if (box.edge) edges.get(onWay(at) ? PATH : EDGE).push(box.edge);
    const color = overviewColor(place, box, at);
    if (!boxes.has(color)) boxes.set(color, []);
    boxes.get(color).push(`M${box.x} ${box.y}h${box.width}v${box.height}h${-box.width}z`);
  });
  const marked = [FOUND, PATH].map((color) => overviewPath(boxes.get(color), color, color, 2));
  const areas = [...boxes].filter(([color]) => color !== FOUND && color !== PATH);
  return [
    overviewPath(edges.get(EDGE), "none", EDGE, 0.7),
    ...areas.map(([color, paths]) => overviewPath(paths, color, "none", 0)),
    overviewPath(edges.get(PATH), "none", PATH, 2),
    ...marked,
  ];
}

function overviewColor(place, box, at) {
  if (onWay(at)) return PATH;
  return !place.group && found.has(place.node) ? FOUND : boxColors(place, box)[1];
}

function overviewPath(paths, fill, stroke, width) {
  const line = { stroke, "stroke-width": width, "vector-effect": "non-scaling-stroke" };
  return shape("path", { d: paths.join(""), fill, ...line });
}
