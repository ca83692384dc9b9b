// What stands in a box and on an edge: the same words as in the picture that Python draws.

// Ties go to the even digit, as in Python: (0.125).toFixed(2) would be 0.13. Only numbers with few
// binary digits can be ties; 2.675 is a little less than it looks, and toFixed knows that.
function fixed(number, decimals) {
  const below = Math.floor(number * 10 ** decimals);
  const isTie =
    number * 10 ** decimals - below === 0.5 && Number.isInteger(number * 2 ** (decimals + 1));
  if (!isTie) return number.toFixed(decimals);
  return ((below % 2 ? below + 1 : below) / 10 ** decimals).toFixed(decimals);
}

function withoutZeros(text) {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function thousands(digits) {
  const [whole, rest] = digits.split(".");
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
  return rest === undefined ? grouped : `${grouped}.${rest}`;
}

function weightText(weight) {
  if (weight >= 1e15 || (weight > 0 && weight < 0.005))
    return String(Number(weight.toPrecision(3)));
  return withoutZeros(fixed(weight, 2));
}

function counted(count, noun, plural = `${noun}s`) {
  return `${thousands(String(count))} ${count === 1 ? noun : plural}`;
}

// A name without the marks that keep it apart from words of another direction.
function unmarked(name) {
  return name.replace(/[\u2068\u2069]/g, "");
}

function rowsOf(node) {
  return data.rows ? data.rows[node] : data.weight[node];
}

function support(node) {
  if (!rowsOf(0)) return ""; // a tree written by hand
  const weight = data.weight[node];
  const rows = rowsOf(node);
  if (data.hasWeights && Math.abs(weight - rows) > 1e-9 * rows)
    return `weight ${thousands(weightText(weight))}`;
  if (weight > 0 && weight < 0.5) return "under 1 row";
  return counted(data.hasWeights ? rows : Number(fixed(weight, 0)), "row");
}

// The exact figure, where parts of rows with missing values were rounded to rows.
function exactSupport(node) {
  const weight = data.weight[node];
  if (!rowsOf(0) || data.hasWeights || Math.abs(weight - Math.round(weight)) < 0.005) return "";
  return `${thousands(weightText(weight))} rows: rows with missing values count fractionally`;
}

function percent(share) {
  return `${fixed(100 * share, 0)} %`;
}

function certainty(node) {
  if (!nClasses) return "";
  const share = sharesOf(node)[classOf(node)];
  return share === 1 ? "" : percent(Math.min(share, 0.99));
}

function evidence(node) {
  const share = certainty(node);
  const rows = support(node);
  if (rowsOf(0) && !data.weight[node]) return "no rows";
  if (!share || !rows) return share || rows;
  return rows.startsWith("weight") ? `${share}, ${rows}` : `${share} of ${rows}`;
}

// A number of the target, in its format if it has one: four digits, and all before the point.
function numberText(number) {
  if (!data.targetFormat) return String(Number(number.toPrecision(10)));
  const { before, after, decimal, thousands: mark } = data.targetFormat;
  const size = Math.abs(number);
  const decimals = size ? Math.min(Math.max(0, 3 - Math.floor(Math.log10(size))), 20) : 0;
  const [whole, rest] = String(Number(fixed(size, decimals))).split(".");
  const grouped = mark ? whole.replace(/\B(?=(\d{3})+$)/g, mark) : whole;
  return `${number < 0 ? "-" : ""}${before}${grouped}${rest ? decimal + rest : ""}${after}`;
}

function answerText(node) {
  return nClasses ? data.namedClasses[classOf(node)] : textIn(data.mean[node]);
}

function questionText(node) {
  return data.kind[node] === OBLIQUE ? data.sums[node].text : data.columns[data.feature[node]].name;
}

function levelsOf(node, child) {
  const [codes, children] = data.levels[node];
  const { levels } = data.columns[data.feature[node]];
  return codes.filter((_, at) => children[at] === child).map((code) => levels[code]);
}

// What leads to a node from its parent, without the column: `≤ 0.8`, `Sunny`, `missing`.
function branchText(node) {
  const parent = parentOf[node];
  const child = node - data.firstChild[parent];
  const kind = data.kind[parent];
  if (kind === OBLIQUE) return ["yes", "no", "missing"][child];
  if (kind === BRANCHES || kind === SUBSET) {
    const levels = levelsOf(parent, child);
    if (levels.length) return levels.join(", ");
    return data.levels[parent][2] === child ? "otherwise" : "missing";
  }
  const bounds = cutsOf(parent).map(textIn);
  if (child > bounds.length) return "missing";
  if (!bounds.length) return "known";
  if (data.columns[data.feature[parent]].yesNo) return child ? "yes" : "no";
  const [below, above] = data.columns[data.feature[parent]].strict ? ["<", "≥"] : ["≤", ">"];
  if (child === 0) return `${below} ${bounds[0]}`;
  if (child === bounds.length) return `${above} ${bounds[child - 1]}`;
  return `${above} ${bounds[child - 1]}, ${below} ${bounds[child]}`;
}

// The whole condition: `petal width ≤ 0.8`, `outlook = Sunny`.
function conditionText(node) {
  const parent = parentOf[node];
  const branch = branchText(node);
  if (data.kind[parent] === OBLIQUE) return `${questionText(parent)}: ${branch}`;
  const needsSign = !/^[≤><≥]/.test(branch) && !["missing", "known", "otherwise"].includes(branch);
  return `${questionText(parent)}${needsSign ? " = " : " "}${branch}`;
}

// The words of a box in the order in which they stand, and what an open node would predict.
function spokenNode(place, { label, title, notes, isOpen }) {
  const said = [label ? `${label}: ${title}` : title, ...notes];
  if (isOpen) said.push(`would predict ${answerText(place.node)}`);
  return said.filter((words) => words).join(", ");
}
