// The form for a row: its fields, what is typed into them, and following it.

const NEAR_ZERO = Math.fround(1e-35); // at most this is zero, in a column where zero is missing
const MOST_OPTIONS = 200; // of a list to choose from; columns with more levels are typed in
const MOST_SUGGESTED = 1000;
const MOST_OPENED = 40; // answering nodes of a divided row that are unfolded
const rowForm = document.getElementById("row-form");
const rowFields = document.getElementById("row-fields");
const rowResult = document.getElementById("row-result");
const rowDetails = document.getElementById("row-details");
const rowHint = rowResult.firstElementChild;
const fields = new Map(); // column -> its field

function makeFields() {
  for (const at of data.used) {
    const column = data.columns[at];
    const field = column.levels ? levelField(column, at) : numberField(column);
    field.id = `column-${at}`;
    field.name = `column-${at}`;
    fields.set(at, field);
    rowFields.append(tag("label", { for: field.id }, named(column.name), unitNote(column)), field);
    if (field.hasAttribute("list")) rowFields.append(suggestions(column, at));
  }
}

function unitNote(column) {
  if (!column.unit) return "";
  const { isDate, step } = unitOf(column);
  return tag("small", {}, isDate ? " date" : ` in ${UNIT_WORDS[step] || step}`);
}

function levelField(column, at) {
  if (column.levels.length > MOST_OPTIONS) {
    return tag("input", {
      type: "text",
      list: `levels-${at}`,
      autocomplete: "off",
      placeholder: "missing",
    });
  }
  const options = column.levels.map((level, code) =>
    tag("option", { value: String(code) }, shortened(level)),
  );
  options.unshift(tag("option", { value: String(MISSING) }, "missing"));
  options.push(tag("option", { value: String(UNSEEN) }, "another, never seen"));
  return tag("select", {}, ...options);
}

function suggestions(column, at) {
  const options = column.levels
    .slice(0, MOST_SUGGESTED)
    .map((level) => tag("option", { value: level }));
  return tag("datalist", { id: `levels-${at}` }, ...options);
}

function numberField(column) {
  if (column.yesNo) {
    const options = [["", "missing"], ["0", "no"], ["1", "yes"]];
    return tag("select", {}, ...options.map(([value, text]) => tag("option", { value }, text)));
  }
  const isDate = column.unit && unitOf(column).isDate;
  return tag("input", {
    type: "text",
    inputmode: isDate ? "text" : "decimal",
    autocomplete: "off",
    placeholder: "missing",
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
  const isDate = column.unit && unitOf(column).isDate;
  const number = isDate ? dateCount(text, unitOf(column).step) : plainNumber(text);
  if (number === null) {
    field.setCustomValidity(isDate ? "write a date such as 2024-05-17" : "write a number");
  }
  return column.zeroIsMissing && Math.abs(number) <= NEAR_ZERO ? null : number;
}

function plainNumber(text) {
  const infinite = /^([+-]?)inf(?:inity)?$/i.exec(text);
  if (infinite) return infinite[1] === "-" ? -Infinity : Infinity;
  const number = Number(/^[+-]?\d+,\d+$/.test(text) ? text.replace(",", ".") : text);
  return Number.isNaN(number) ? null : number;
}

// ------------------------------------------------------------------------------- following it

// Follow what is in the fields; while somebody types, a wrong field is only named.
function followRow(isTyping = false) {
  const row = readRow();
  const wrong = [...fields.values()].filter((field) => field.validationMessage);
  for (const field of fields.values())
    field.setAttribute("aria-invalid", String(wrong.includes(field)));
  if (wrong.length) {
    if (!isTyping) rowForm.reportValidity();
    refuse(`${wrong[0].labels[0].textContent}: ${wrong[0].validationMessage}.`);
    return;
  }
  const refused = refusedColumns(row);
  way = refused.length ? null : follow(row);
  if (way) openWay(way);
  rearrange();
  if (!way) {
    const names = refused.map((at) => data.columns[at].name).join(", ");
    refuse(
      "The model rejects this row: a category not seen in training in ",
      named(names),
      ".",
    );
    return;
  }
  rowResult.replaceChildren(answerLine(way));
  rowDetails.replaceChildren(...detailParts(way, row));
  const [heaviest] = heaviestEnds(way);
  activate(keyOf(drawing.places[nearestPlace(heaviest.node)]));
  revealWay(way, active);
}

function refuse(...words) {
  rowResult.replaceChildren(tag("p", { class: "refused" }, ...words));
  rowDetails.replaceChildren();
}

function heaviestEnds({ ends }) {
  return [...ends].sort((one, other) => other.share - one.share || one.node - other.node);
}

function openWay(taken) {
  folding.keep.clear();
  for (const { node } of heaviestEnds(taken).slice(0, MOST_OPENED)) openTo(node);
}

function fillForm(values) {
  for (const [at, field] of fields) {
    const value = values[at];
    if (value === null || value === MISSING)
      field.value = field.matches("select") && data.columns[at].levels ? String(MISSING) : "";
    else
      field.value =
        field.matches("select") || !data.columns[at].levels
          ? String(value)
          : (data.columns[at].levels[value] ?? String(value));
  }
}

function clearRow() {
  rowForm.reset();
  way = null;
  folding.keep.clear();
  for (const field of fields.values()) field.removeAttribute("aria-invalid");
  rowResult.replaceChildren(rowHint);
  rowDetails.replaceChildren();
  rearrange();
}

rowForm.addEventListener("submit", (event) => {
  event.preventDefault();
  followRow();
});
// Every letter counts at once.
rowForm.addEventListener("input", () => followRow(true));
document.getElementById("row-clear").addEventListener("click", clearRow);
