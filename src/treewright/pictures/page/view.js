// Where the picture stands in its window and how large it is: zoom, pan, fit, reveal.
//
// A tree of thousands of boxes is far longer than wide. Seen as a whole it is stretched to fill the
// window: there are no words at that size that could suffer.

const READABLE = 0.3; // the least scale at which many boxes are drawn with their words
const LEAST_SCALE = 0.0002;
const MOST_SCALE = 4;
const LEGIBLE = 0.85; // at which the words of boxes can be read
const START_SCALE = LEGIBLE;
const LEAST_START = 0.6; // a picture that fits at this scale is shown whole at first
const LEAST_WAY = 0.5; // and the path of a row
const LARGEST_FIT = 1.3;
const SMALLEST_FIT = 0.08; // below this a whole picture is stretched
const MARGIN = 24;
const BESIDE_VIEW = 120; // pixels beside the window that are drawn as well

let isMoved = false; // by the reader: zoomed, dragged, or led to a node
const view = { x: 0, y: 0, scaleX: 1, scaleY: 1 };

function viewSize() {
  return [treeElement.clientWidth || 1, treeElement.clientHeight || 1];
}

function isStretched() {
  return view.scaleX !== view.scaleY;
}

function viewTransform() {
  return `translate(${view.x} ${view.y}) scale(${view.scaleX} ${view.scaleY})`;
}

function scaleText() {
  if (isStretched()) return "overview";
  return view.scaleX < 0.01 ? "under 1 %" : percent(view.scaleX);
}

function areaInView() {
  const [width, height] = viewSize();
  return [
    (-BESIDE_VIEW - view.x) / view.scaleX,
    (-BESIDE_VIEW - view.y) / view.scaleY,
    (width + BESIDE_VIEW - view.x) / view.scaleX,
    (height + BESIDE_VIEW - view.y) / view.scaleY,
  ];
}

// ------------------------------------------------------------------------------- zoom and pan

function panBy(x, y) {
  isMoved = true;
  view.x += x;
  view.y += y;
  redraw();
}

// A point of the window stays where it is; the middle, if none is given.
function zoomBy(factor, x, y) {
  const limited = (scale) => Math.min(Math.max(scale * factor, LEAST_SCALE), MOST_SCALE);
  if (factor > 1 && isStretched()) {
    // Coming closer, the shorter side catches up with the longer.
    const least = limited(Math.min(view.scaleX, view.scaleY));
    scaleTo(Math.max(view.scaleX, least), Math.max(view.scaleY, least), x, y);
  } else {
    scaleTo(limited(view.scaleX), limited(view.scaleY), x, y);
  }
}

function scaleTo(scaleX, scaleY, x, y) {
  isMoved = true;
  const [width, height] = viewSize();
  const [atX, atY] = [x ?? width / 2, y ?? height / 2];
  view.x = atX - ((atX - view.x) * scaleX) / view.scaleX;
  view.y = atY - ((atY - view.y) * scaleY) / view.scaleY;
  Object.assign(view, { scaleX, scaleY });
  redraw();
}

// ------------------------------------------------------------------------------- showing all of it

// The scales at which a whole drawing fits the window, across and down.
function fittingScales(fitted = drawing) {
  const [width, height] = viewSize();
  return [(width - 2 * MARGIN) / fitted.width, (height - 2 * MARGIN) / fitted.height];
}

function fitView() {
  isMoved = false;
  const [fitX, fitY] = fittingScales();
  const scale = Math.min(fitX, fitY, LARGEST_FIT);
  if (scale >= SMALLEST_FIT) showAt(scale, scale);
  else showAt(Math.min(fitX, READABLE), Math.min(fitY, READABLE));
}

// The whole picture; one that would be too small to read begins at its root.
function startView() {
  isMoved = false;
  const whole = Math.min(...fittingScales(), LARGEST_FIT);
  const scale = whole >= LEAST_START ? whole : START_SCALE;
  showAt(scale, scale);
}

// A picture that nobody moved stays whole and in the middle when the window changes.
function windowChanged() {
  if (isPrinting) return;
  if (isMoved || isStretched()) redraw();
  else startView();
}

// So large that at most a small part would be in view.
function isHuge() {
  return Math.min(...fittingScales()) < SMALLEST_FIT;
}

// After the whole tree was unfolded or folded: the root is in view, or everything.
function showUnfolded() {
  if (isHuge()) fitView();
  else if (isStretched() || !placesIn(areaInView()).includes(0)) startView();
}

function showAt(scaleX, scaleY) {
  const [width, height] = viewSize();
  const root = drawing.boxes[0];
  const isWide = drawing.width * scaleX > width - MARGIN;
  const isHigh = drawing.height * scaleY > height - MARGIN;
  Object.assign(view, { scaleX, scaleY });
  view.x = (width - drawing.width * scaleX) / 2;
  view.y = (height - drawing.height * scaleY) / 2;
  if (drawing.direction === "down") {
    if (isHigh) view.y = MARGIN;
    if (isWide) view.x = width / 2 - (root.x + root.width / 2) * scaleX;
  } else {
    if (isWide) view.x = MARGIN;
    if (isHigh) view.y = height / 2 - (root.y + root.height / 2) * scaleY;
  }
  redraw();
}

// Move as little as it takes to have a box in view, large enough to be read.
function reveal(key) {
  if (isStretched() || view.scaleX < READABLE) scaleTo(START_SCALE, START_SCALE);
  revealArea(areaOf([boxAt(key)]));
}

function areaOf(boxes) {
  const left = Math.min(...boxes.map((box) => box.x));
  const top = Math.min(...boxes.map((box) => box.y - LABEL_LINE));
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return [left, top, right - left, bottom - top];
}

function revealArea([left, top, wide, high]) {
  const [width, height] = viewSize();
  const inside = (start, size, offset, room) => {
    const from = start * view.scaleX + offset;
    const to = from + size * view.scaleX;
    if (from >= MARGIN && to <= room - MARGIN) return offset;
    return room / 2 - (start + size / 2) * view.scaleX;
  };
  const [x, y] = [inside(left, wide, view.x, width), inside(top, high, view.y, height)];
  if (x !== view.x || y !== view.y) isMoved = true;
  Object.assign(view, { x, y });
  redraw();
}

// The whole path of a row in view, if it can be read at that size; otherwise where it ends.
function revealWay(taken, endKey) {
  const onIt = drawing.places.flatMap((place, at) =>
    wayShare(place, taken) > 0 ? [drawing.boxes[at]] : [],
  );
  const area = areaOf(onIt);
  const [width, height] = viewSize();
  const room = Math.min((width - 2 * MARGIN) / area[2], (height - 2 * MARGIN) / area[3]);
  const isReadable = !isStretched() && view.scaleX >= LEAST_WAY;
  if (isReadable && room >= view.scaleX) {
    revealArea(area);
  } else if (room >= LEAST_WAY) {
    const scale = Math.min(room, isReadable ? view.scaleX : START_SCALE);
    scaleTo(scale, scale);
    revealArea(area);
  } else {
    reveal(endKey);
  }
}

// ------------------------------------------------------------------------------- what is out of view

const cue = document.getElementById("cue");
const ARROWS = { left: "←", right: "→", up: "↑", down: "↓" };

// Where the drawing goes on beyond the window: a shadow at that edge, and arrows in words.
function showCue() {
  const [width, height] = viewSize();
  const sides = {
    left: view.x < -1,
    right: view.x + drawing.width * view.scaleX > width + 1,
    up: view.y < -1,
    down: view.y + drawing.height * view.scaleY > height + 1,
  };
  const beyond = Object.keys(sides).filter((side) => sides[side]);
  treeElement.dataset.more = beyond.join(" ");
  cue.hidden = isPrinting || !beyond.length;
  cue.textContent = `more ${beyond.map((side) => ARROWS[side]).join(" ")}`;
}
