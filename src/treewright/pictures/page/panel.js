// The panel beside the picture: what is known of one node, in words and numbers.

const MOST_CONDITIONS = 60;

function tag(name, attributes, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in element && typeof value !== "string") element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...content);
  return element;
}

// A name is text of its own direction, whatever stands beside it; an endless one is cut.
function named(text) {
  return tag("bdi", {}, shortened(text));
}

function shortened(text) {
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text;
}

function jumpButton(node, ...content) {
  const button = tag(
    "button",
    { type: "button", class: "jump", "data-jump": String(node) },
    ...content,
  );
  button.addEventListener("click", () => goTo(node));
  return button;
}

// The conditions from the root to a node, merged by column; of very many, the last ones.
function conditionList(node) {
  const all = mergedConditions(node);
  const shown = all.slice(-MOST_CONDITIONS);
  const items = shown.map((one) => tag("li", {}, jumpButton(one.node, named(one.text))));
  return tag("ol", { start: all.length - shown.length + 1 }, ...items);
}

function describe(node) {
  const target = !nClasses && data.target ? [named(data.target), " "] : [];
  const known = evidence(node);
  const exact = exactSupport(node);
  const parts = [
    tag("h2", {}, `Node ${node}`),
    tag(
      "p",
      {},
      `${isLeaf(node) ? "Predicts" : "Would predict"} `,
      ...target,
      tag("strong", {}, named(answerText(node))),
      known ? " (" : "",
      known ? tag("span", exact ? { title: exact } : {}, known) : "",
      known ? ")" : "",
    ),
  ];
  if (exact) parts.push(tag("p", { class: "exact" }, `${exact}.`));
  if (nClasses) parts.push(shareTable(sharesOf(node)));
  if (node) parts.push(tag("h3", {}, "Conditions"), conditionList(node));
  if (!isLeaf(node)) parts.push(...aboutQuestion(node));
  document.getElementById("about-node").replaceChildren(...parts);
}

function aboutQuestion(node) {
  const asks = tag("p", {}, "Splits on ", tag("strong", {}, named(questionText(node))), ".");
  const surrogates = (data.surrogates[node] || []).map((surrogate) =>
    tag("li", {}, named(surrogateText(surrogate))),
  );
  const missing = tag("p", {}, "If the value is missing: ", named(missingText(node)), ".");
  if (!surrogates.length) return [asks, missing];
  return [
    asks,
    tag("p", {}, "If the value is missing, these splits decide instead:"),
    tag("ol", {}, ...surrogates),
    tag("p", {}, "If they are missing too: ", named(missingText(node)), "."),
  ];
}

function surrogateText({ column, text }) {
  return `${data.columns[column].name}${text ? `, cut at ${text}` : ""}`;
}

function missingText(node) {
  const missing = data.missing[node];
  if (missing === STOP) return "this node predicts";
  if (missing === SPREAD) return "all branches take a part of the row, by their training weight";
  return `on to “${branchText(data.firstChild[node] + missing)}”`;
}

// Classes with their shares, the largest first; of very many, those that have one.
function shareTable(shares) {
  const order = shares
    .map((share, at) => [share, at])
    .sort((one, other) => other[0] - one[0] || one[1] - other[1]);
  const shown = order.filter(([share]) => share > 0 || nClasses <= 8).slice(0, 12);
  const rows = shown.map(([share, at]) =>
    tag(
      "tr",
      {},
      tag("th", { scope: "row" }, swatch(classColors[at]), named(data.namedClasses[at])),
      tag("td", {}, tag("data", { value: String(share) }, shareText(share))),
    ),
  );
  const left =
    order.filter(([share]) => share > 0).length - shown.filter(([share]) => share > 0).length;
  if (left > 0)
    rows.push(
      tag(
        "tr",
        {},
        tag("td", { colSpan: 2 }, `and ${counted(left, "other class", "other classes")}`),
      ),
    );
  return tag("table", { class: "shares" }, tag("tbody", {}, ...rows));
}

function swatch(color) {
  const svg = shape("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" });
  svg.append(shape("rect", { width: 10, height: 10, rx: 2, fill: color }));
  return svg;
}

function fillLegend() {
  const legend = document.getElementById("legend");
  if (!nClasses) {
    if (nNodes > 1) legend.append(tag("li", {}, data.legend));
    return;
  }
  if (data.target) legend.append(tag("li", { class: "lead" }, named(data.target), ":"));
  for (const at of data.named)
    legend.append(tag("li", {}, swatch(classColors[at]), named(data.classes[at])));
  if (data.nRest) {
    legend.append(
      tag("li", {}, swatch(REST), counted(data.nRest, "other class", "other classes")),
    );
  }
}
