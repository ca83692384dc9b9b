// The form for a row, and what the tree makes of it.

const MOST_OPTIONS = 200; // of a list to choose from; columns with more levels are typed in
const MOST_SUGGESTED = 1000;
const MOST_OPENED = 40; // answering nodes of a divided row that are unfolded
const rowForm = document.getElementById("row-form");
const rowFields = document.getElementById("row-fields");
const rowResult = document.getElementById("row-result");
const fields = new Map(); // column -> its field

function makeFields() {
  for (const at of data.used) {
    const column = data.columns[at];
    const field = column.levels ? levelField(column, at) : numberField(column);
    field.id = `column-${at}`;
    field.name = `column-${at}`;
    fields.set(at, field);
    rowFields.append(tag("label", { for: field.id }, named(column.name), unitNote(column)), field);
    if (field.list !== undefined && field.getAttribute("list")) rowFields.append(suggestions(column, at));
  }
}

function unitNote(column) {
  if (!column.unit) return "";
  const { isDate, step } = unitOf(column);
  return tag("small", {}, isDate ? " date" : ` in ${UNIT_WORDS[step] || step}`);
}

function levelField(column, at) {
  if (column.levels.length > MOST_OPTIONS) {
    return tag("input", { type: "text", list: `levels-${at}`, autocomplete: "off", placeholder: "missing" });
  }
  const options = column.levels.map((level, code) => tag("option", { value: String(code) }, shortened(level)));
  options.unshift(tag("option", { value: String(MISSING) }, "missing"));
  options.push(tag("option", { value: String(UNSEEN) }, "another, never seen"));
  return tag("select", {}, ...options);
}

function suggestions(column, at) {
  const options = column.levels.slice(0, MOST_SUGGESTED).map((level) => tag("option", { value: level }));
  return tag("datalist", { id: `levels-${at}` }, ...options);
}

function numberField(column) {
  const isDate = column.unit && unitOf(column).isDate;
  return tag("input", {
    type: "text", inputmode: isDate ? "text" : "decimal", autocomplete: "off", placeholder: "missing",
  });
}

// ------------------------------------------------------------------------------- reading the form

function readRow() {
  return data.columns.map((column, at) => {
    const field = fields.get(at);
    if (!field) return column.levels ? MISSING : null;
    return column.levels ? readLevel(column, field) : readNumber(column, field);
  });
}

function readLevel(column, field) {
  if (field.matches("select")) return Number(field.value);
  if (!field.value.trim()) return MISSING;
  const code = column.levels.findIndex((level) => unmarked(level) === unmarked(field.value));
  return code >= 0 ? code : UNSEEN;
}

function readNumber(column, field) {
  const text = field.value.trim();
  field.setCustomValidity("");
  if (!text) return null;
  const number = column.unit && unitOf(column).isDate ? dateCount(text, unitOf(column).step) : plainNumber(text);
  if (number === null) field.setCustomValidity(column.unit ? "write a date such as 2024-05-17" : "write a number");
  return number;
}

function plainNumber(text) {
  const infinite = /^([+-]?)inf(?:inity)?$/i.exec(text);
  if (infinite) return infinite[1] === "-" ? -Infinity : Infinity;
  const number = Number(/^[+-]?\d+,\d+$/.test(text) ? text.replace(",", ".") : text);
  return Number.isNaN(number) ? null : number;
}

// ------------------------------------------------------------------------------- following it

function followRow() {
  const row = readRow();
  if (!rowForm.reportValidity()) return;
  const refused = refusedColumns(row);
  way = refused.length ? null : follow(row);
  if (way) openWay(way);
  rearrange();
  if (!way) {
    const names = refused.map((at) => data.columns[at].name).join(", ");
    rowResult.replaceChildren(tag("p", { class: "refused" }, "The model refuses this row: a level never seen in training in ", named(names), "."));
    return;
  }
  rowResult.replaceChildren(...resultParts(way, row));
  const [heaviest] = heaviestEnds(way);
  activate(keyOf(drawing.places[nearestPlace(heaviest.node)]));
  reveal(active);
  const panel = document.getElementById("panel"); // the answer stands above the fields
  panel.scrollTop += rowForm.getBoundingClientRect().top - panel.getBoundingClientRect().top;
}

function heaviestEnds({ ends }) {
  return [...ends].sort((one, other) => other.share - one.share || one.node - other.node);
}

function openWay(taken) {
  folding.keep.clear();
  for (const { node } of heaviestEnds(taken).slice(0, MOST_OPENED)) openTo(node);
}

function resultParts(taken, row) {
  const answer = nClasses ? data.classes[taken.answer] : String(Number(taken.values[0].toPrecision(10)));
  const exact = nClasses ? String(taken.answer) : String(taken.values[0]);
  const parts = [tag("p", { class: "answer" }, "Answer: ", tag("data", { id: "answer", value: exact }, named(answer)))];
  if (nClasses) parts.push(shareTable(taken.values));
  const isDivided = taken.ends.length > 1;
  if (isDivided) parts.push(tag("p", {}, `The row is divided among ${counted(taken.ends.length, "node")}:`), endList(taken));
  const remarks = remarksOn(taken, row);
  if (remarks.length) parts.push(tag("h3", {}, "What was not known"), tag("ul", {}, ...remarks));
  if (!isDivided) parts.push(tag("h3", {}, "Its way"), conditionList(taken.ends[0].node));
  return parts;
}

function endList(taken) {
  const shown = heaviestEnds(taken).slice(0, 12);
  const items = shown.map(({ node, share }) => tag("li", {}, `${shareText(share)}: `, jumpButton(node, `node ${node}, `, named(answerText(node)))));
  if (taken.ends.length > shown.length) items.push(tag("li", {}, `and ${taken.ends.length - shown.length} more`));
  return tag("ul", {}, ...items);
}

// One line for each column that was not known, and for each thing that this did.
function remarksOn(taken, row) {
  const groups = new Map();
  for (const step of taken.steps) {
    if (step.how === "question" || step.how === "leaf") continue;
    const words = consequence(step);
    const key = `${questionText(step.node)} ${words}`;
    if (!groups.has(key)) groups.set(key, { words, nodes: [] });
    groups.get(key).nodes.push(step.node);
  }
  return [...groups.values()].map(({ words, nodes }) => {
    const column = data.feature[nodes[0]];
    const what = column >= 0 && row[column] === UNSEEN ? "was never seen in training" : "is missing";
    const where = nodes.length > 1 ? ` at ${nodes.length} nodes` : "";
    return tag("li", {}, jumpButton(nodes[0], named(questionText(nodes[0]))), ` ${what}${where}: `, named(words), ".");
  });
}

function consequence({ how, surrogate, heirs }) {
  if (how === "unseen") return "it goes to the branch with most training rows";
  if (how === "surrogate") return `${surrogateText(surrogate)} decides instead`;
  if (how === "missing") return `it goes to “${branchText(heirs[0][0])}”`;
  return how === "spread" ? "its parts go to all branches" : "the node itself answers";
}

function fillForm(values) {
  for (const [at, field] of fields) {
    const value = values[at];
    if (value === null || value === MISSING) field.value = field.matches("select") ? String(MISSING) : "";
    else field.value = field.matches("select") || !data.columns[at].levels ? String(value) : data.columns[at].levels[value] ?? String(value);
  }
}

function clearRow() {
  rowForm.reset();
  way = null;
  folding.keep.clear();
  rowResult.replaceChildren();
  rearrange();
}

rowForm.addEventListener("submit", (event) => {
  event.preventDefault();
  followRow();
});
rowForm.addEventListener("input", (event) => event.target.setCustomValidity("")); // or it stays wrong
rowForm.addEventListener("change", () => { if (way) followRow(); });
document.getElementById("row-clear").addEventListener("click", clearRow);
