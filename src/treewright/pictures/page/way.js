// The panel of a followed row: the prediction, its path, and its missing values.

// The prediction in one line, which stays in view while fields are filled in.
function answerLine(taken) {
  const answer = nClasses ? data.namedClasses[taken.answer] : numberText(taken.values[0]);
  const exact = nClasses ? String(taken.answer) : String(taken.values[0]);
  const share = nClasses ? ` (${shareText(taken.values[taken.answer])})` : "";
  const target = !nClasses && data.target ? [named(data.target), " "] : [];
  return tag(
    "p",
    { class: "answer" },
    "Predicts ",
    ...target,
    tag("data", { id: "answer", value: exact }, named(answer)),
    share,
  );
}

// All else: shares, where the row went, and what its missing values did.
function detailParts(taken, row) {
  const parts = nClasses ? [shareTable(taken.values)] : [];
  const isDivided = taken.ends.length > 1;
  if (isDivided)
    parts.push(
      tag("p", {}, `The row is divided among ${counted(taken.ends.length, "node")}:`),
      endList(taken),
    );
  const remarks = remarksOn(taken, row);
  if (remarks.length) parts.push(tag("h3", {}, "Missing values"), tag("ul", {}, ...remarks));
  if (!isDivided && taken.ends[0].node)
    parts.push(tag("h3", {}, "Path"), conditionList(taken.ends[0].node));
  return parts;
}

function endList(taken) {
  const shown = heaviestEnds(taken).slice(0, 12);
  const items = shown.map(({ node, share }) =>
    tag(
      "li",
      {},
      `${shareText(share)}: `,
      jumpButton(node, `node ${node}, `, named(answerText(node))),
    ),
  );
  if (taken.ends.length > shown.length)
    items.push(tag("li", {}, `and ${taken.ends.length - shown.length} more`));
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
    const what =
      column >= 0 && row[column] === UNSEEN ? "was not seen in training" : "is missing";
    const where = nodes.length > 1 ? ` at ${nodes.length} nodes` : "";
    return tag(
      "li",
      {},
      jumpButton(nodes[0], named(questionText(nodes[0]))),
      ` ${what}${where}: `,
      named(words),
      ".",
    );
  });
}

function consequence({ how, surrogate, heirs }) {
  if (how === "unseen") return "it goes to the branch with most training rows";
  if (how === "surrogate") return `${surrogateText(surrogate)} decides instead`;
  if (how === "missing") return `it goes to “${branchText(heirs[0][0])}”`;
  return how === "spread" ? "its parts go to all branches" : "the node itself predicts";
}
