// Where the picture stands in its window and how large it is: zoom, pan, fit, reveal.
//
// A tree of thousands of boxes is far longer than wide. Seen as a whole it is stretched to fill the
// window: there are no words at that size that could suffer.

const READABLE = 0.3; // the least scale at which many boxes are drawn with their words
const LEAST_SCALE = 0.0002;
const MOST_SCALE = 4;
const START_SCALE = 0.65;
const LARGEST_FIT = 1.3;
const SMALLEST_FIT = 0.08; // below this a whole picture is stretched
const MARGIN = 24;
const BESIDE_VIEW = 120; // pixels beside the window that are drawn as well

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
  const [width, height] = viewSize();
  const [atX, atY] = [x ?? width / 2, y ?? height / 2];
  view.x = atX - ((atX - view.x) * scaleX) / view.scaleX;
  view.y = atY - ((atY - view.y) * scaleY) / view.scaleY;
  Object.assign(view, { scaleX, scaleY });
  redraw();
}

// ------------------------------------------------------------------------------- showing all of it

// The scales at which the whole drawing fits the window, across and down.
function fittingScales() {
  const [width, height] = viewSize();
  return [(width - 2 * MARGIN) / drawing.width, (height - 2 * MARGIN) / drawing.height];
}

function fitView() {
  const [fitX, fitY] = fittingScales();
  const scale = Math.min(fitX, fitY, LARGEST_FIT);
  if (scale >= SMALLEST_FIT) showAt(scale, scale);
  else showAt(Math.min(fitX, READABLE), Math.min(fitY, READABLE));
}

// Readable from the start: a picture that does not fit begins at its root.
function startView() {
  const scale = Math.max(Math.min(...fittingScales(), LARGEST_FIT), START_SCALE);
  showAt(scale, scale);
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
    view.y = Math.max(Math.min(view.y, 2 * MARGIN), MARGIN);
    if (isWide) view.x = width / 2 - (root.x + root.width / 2) * scaleX;
  } else {
    if (isWide) view.x = MARGIN;
    if (isHigh) view.y = height / 2 - (root.y + root.height / 2) * scaleY;
  }
  redraw();
}

// Move as little as it takes to have a box in view, large enough to be read.
function reveal(key) {
  const box = boxAt(key);
  if (isStretched() || view.scaleX < READABLE) scaleTo(START_SCALE, START_SCALE);
  const [width, height] = viewSize();
  const inside = (start, size, offset, room) => {
    const from = start * view.scaleX + offset;
    const to = from + size * view.scaleX;
    if (from >= MARGIN && to <= room - MARGIN) return offset;
    return room / 2 - (start + size / 2) * view.scaleX;
  };
  view.x = inside(box.x, box.width, view.x, width);
  view.y = inside(box.y - LABEL_LINE, box.height + LABEL_LINE, view.y, height);
  redraw();
}
