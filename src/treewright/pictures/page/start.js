// Buttons of the bar, printing, and the first picture.

const depthChoice = document.getElementById("depth");
const directionChoice = document.getElementById("direction");
const app = document.getElementById("app");
const MOST_DEPTHS = 40;

function fillDepths() {
  const depths = Array.from({ length: Math.min(deepest, MOST_DEPTHS) }, (_, at) => at + 1);
  for (const depth of depths)
    depthChoice.append(tag("option", { value: String(depth) }, `to depth ${depth}`));
  depthChoice.append(tag("option", { value: String(deepest + 1) }, "all nodes"));
}

depthChoice.addEventListener("change", () => {
  if (depthChoice.value === "window") foldToWindow();
  else if (depthChoice.value === "start") restoreFolds();
  else foldToDepth(Number(depthChoice.value));
  chooseDirection();
  rearrange("0");
  showUnfolded();
  announce(`${counted(drawing.places.length, "node")} shown`);
});
directionChoice.addEventListener("change", () => {
  chooseDirection();
  rearrange();
  startView();
});
document.getElementById("zoom-in").addEventListener("click", () => zoomBy(1.25));
document.getElementById("zoom-out").addEventListener("click", () => zoomBy(0.8));
document.getElementById("fit").addEventListener("click", fitView);
document.getElementById("panel-switch").addEventListener("click", (event) => {
  const isHidden = app.classList.toggle("without-panel");
  event.currentTarget.setAttribute("aria-expanded", String(!isHidden));
});

// On paper everything that is unfolded is in the picture, as large as the page allows.
const pictureElement = document.getElementById("picture");
addEventListener("beforeprint", () => {
  isPrinting = true;
  const kept = { ...view };
  Object.assign(view, { x: 0, y: 0, scaleX: 1, scaleY: 1 });
  pictureElement.setAttribute("viewBox", `-4 -4 ${drawing.width + 8} ${drawing.height + 8}`);
  drawNow();
  addEventListener(
    "afterprint",
    () => {
      isPrinting = false;
      Object.assign(view, kept);
      pictureElement.removeAttribute("viewBox");
      drawNow();
    },
    { once: true },
  );
});

function chooseDirection() {
  direction = directionChoice.value;
  if (direction === "auto") direction = betterDirection(folding, way);
}

function start() {
  app.hidden = false;
  fillDepths();
  fillLegend();
  makeFields();
  rowForm.hidden = !data.used.length;
  directionChoice.value = data.direction;
  if (!foldToWindow()) {
    depthChoice.prepend(tag("option", { value: "window" }, "what fits"));
    depthChoice.value = "window";
  }
  chooseDirection();
  rearrange();
  startView();
  describe(0);
  if (data.row) {
    fillForm(data.row);
    followRow();
  }
  drawNow();
  new ResizeObserver(windowChanged).observe(treeElement);
}

start();
