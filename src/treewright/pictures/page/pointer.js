// Mouse, touch and wheel: drag to pan, wheel or two fingers to zoom, click to fold and unfold.

const CLICK_SLACK = 5; // pixels that a click may move
const pointers = new Map(); // id -> where it is
let dragged = false;

function placed(event) {
  const frame = treeElement.getBoundingClientRect();
  return [event.clientX - frame.left, event.clientY - frame.top];
}

treeElement.addEventListener(
  "wheel",
  (event) => {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 20 : 1;
    zoomBy(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0018)), ...placed(event));
  },
  { passive: false },
);

treeElement.addEventListener("pointerdown", (event) => {
  pointers.set(event.pointerId, placed(event));
  if (pointers.size === 1) dragged = false;
});

treeElement.addEventListener("pointermove", (event) => {
  const before = pointers.get(event.pointerId);
  if (!before) return;
  const now = placed(event);
  const [byX, byY] = [now[0] - before[0], now[1] - before[1]];
  if (!dragged && Math.hypot(byX, byY) < CLICK_SLACK) return;
  if (!dragged) treeElement.setPointerCapture(event.pointerId);
  dragged = true;
  if (pointers.size === 2) pinch(event.pointerId, before, now);
  else panBy(byX, byY);
  pointers.set(event.pointerId, now);
});

function pinch(moving, before, now) {
  const [, still] = [...pointers].find(([id]) => id !== moving);
  const distance = (point) => Math.hypot(point[0] - still[0], point[1] - still[1]) || 1;
  zoomBy(distance(now) / distance(before), (now[0] + still[0]) / 2, (now[1] + still[1]) / 2);
}

for (const end of ["pointerup", "pointercancel"]) {
  treeElement.addEventListener(end, (event) => pointers.delete(event.pointerId));
}

treeElement.addEventListener("click", (event) => {
  if (dragged) return;
  const element = event.target.closest("[data-place]");
  if (element) toggle(keyOf(drawing.places[element.dataset.place]), event.shiftKey);
  else zoomToBoxAt(event);
});

// A click from afar, where boxes have no words, comes closer.
function zoomToBoxAt(event) {
  if (layers.overview.style.display === "none") return;
  const [x, y] = placed(event);
  const [atX, atY] = [(x - view.x) / view.scaleX, (y - view.y) / view.scaleY];
  const inside = ({ x: left, y: top, width, height }) =>
    atX >= left && atX <= left + width && atY >= top && atY <= top + height;
  const at = drawing.boxes.findIndex(inside);
  scaleTo(1, 1, x, y);
  if (at >= 0) activate(keyOf(drawing.places[at]));
}
