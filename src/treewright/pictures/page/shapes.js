// SVG elements of boxes, labels and edges. Texts are text nodes: no name becomes markup.
// Colors are variables of the style sheet, so that they follow the theme of the reader.

const SVG = "http://www.w3.org/2000/svg";
const { WIDEST_EDGE, THINNEST_EDGE, MARKED_LINE, LEAST_TINT, MOST_TINT, MOST_NUMBER_TINT } =
  data.look;
const INK = "var(--text)";
const FAINT_INK = "var(--faint)";
const LINE = "var(--rim)";
const EDGE = "var(--line)";
const PAPER = "var(--paper)";
const PATH = "var(--way)";
const NUMBERS = "var(--numbers)";
const FOUND = "var(--found)"; // the rim of what a search found; no class has this color
const classColors = nClasses ? data.colors.map((_, at) => `var(--class-${at})`) : [];
const REST = "var(--class-rest)";

// The colors of the classes become variables too, in both themes.
function nameClassColors() {
  if (!nClasses) return;
  const declared = (theme) =>
    [...data.colors.map((color, at) => `--class-${at}: ${color[theme]};`)].join(" ") +
    ` --class-rest: ${data.restColor[theme]};`;
  const [sheet] = document.styleSheets;
  const end = () => sheet.cssRules.length;
  sheet.insertRule(`:root { ${declared(0)} }`, end());
  const dark = "@media screen and (prefers-color-scheme: dark)";
  sheet.insertRule(`${dark} { :root { ${declared(1)} } }`, end());
}

nameClassColors();

function shape(name, attributes, ...content) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...content);
  return element;
}

function mixed(color, share) {
  return `color-mix(in srgb, ${color} ${(100 * share).toFixed(1)}%, ${PAPER})`;
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
  return [mixed(classColors[answer], tint), classColors[answer]];
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
    parts.push(...chartOf(place, box, box.x + PADDING, line, box.width - 2 * PADDING));
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
