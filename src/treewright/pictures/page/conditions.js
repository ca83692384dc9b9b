// The conditions on the way to a node, those on one column as one: `0.8 < petal width ≤ 1.75`.

// [{ text, node }]: each condition in words, and the last node that it decides about.
function mergedConditions(node) {
  const found = new Map(); // column -> what is known of it so far
  for (const at of pathTo(node).slice(1)) {
    const parent = parentOf[at];
    const kind = data.kind[parent];
    const child = at - data.firstChild[parent];
    const step = { at, parent, ...stepOn(parent, kind, child) };
    const key = step.isPlain ? data.feature[parent] : `node ${at}`;
    found.set(key, found.has(key) ? narrowed(found.get(key), step) : step);
  }
  return [...found.values()].map((step) => ({ text: mergedText(step), node: step.at }));
}

// What one step says: bounds or levels of its column; not plain if it says something else.
function stepOn(parent, kind, child) {
  if (kind === THRESHOLD || kind === INTERVALS) {
    const cuts = cutsOf(parent);
    const isPlain = cuts.length > 0 && child <= cuts.length;
    return { isPlain, low: cuts[child - 1] ?? null, high: cuts[child] ?? null, codes: null };
  }
  if (kind !== BRANCHES && kind !== SUBSET) return { isPlain: false };
  const [codes, children] = data.levels[parent];
  const own = codes.filter((_, at) => children[at] === child);
  return { isPlain: own.length > 0, low: null, high: null, codes: own };
}

function narrowed(known, step) {
  const above = (one, other) => !other || (one && numberIn(one) > numberIn(other));
  const below = (one, other) => !other || (one && numberIn(one) < numberIn(other));
  const { codes } = known;
  return {
    ...step,
    low: above(known.low, step.low) ? known.low : step.low,
    high: below(known.high, step.high) ? known.high : step.high,
    codes: codes && step.codes ? step.codes.filter((code) => codes.includes(code)) : step.codes || codes,
  };
}

function mergedText(step) {
  if (!step.isPlain) return conditionText(step.at);
  const { name, levels, strict, yesNo } = data.columns[data.feature[step.parent]];
  if (yesNo && (step.low === null) !== (step.high === null))
    return `${name} = ${step.low === null ? "no" : "yes"}`;
  const parts = [];
  const [low, high] = [step.low, step.high].map((bound) => bound && textIn(bound));
  if (low && high) parts.push(`${low} ${strict ? "≤" : "<"} ${name} ${strict ? "<" : "≤"} ${high}`);
  else if (high) parts.push(`${name} ${strict ? "<" : "≤"} ${high}`);
  else if (low) parts.push(`${name} ${strict ? "≥" : ">"} ${low}`);
  if (step.codes) parts.push(`${name} = ${step.codes.map((code) => levels[code]).join(", ")}`);
  return parts.join(", ");
}
