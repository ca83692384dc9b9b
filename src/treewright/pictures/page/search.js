// Search: a column, a level, a class, a condition, or the number of a node.

const searchField = document.getElementById("search");
const searchCount = document.getElementById("search-count");
let hits = []; // nodes, those that most training rows meet first
let hit = -1; // which of them was jumped to last

function searchable(text) {
  return unmarked(text).toLowerCase();
}

function nodesFor(wanted) {
  const words = searchable(wanted.trim());
  if (!words) return [];
  const numbered = /^#?(?:node )?(\d+)$/.exec(words);
  const nodes = [];
  for (let node = 0; node < nNodes; node += 1) if (isHit(node, words)) nodes.push(node);
  nodes.sort((one, other) => data.weight[other] - data.weight[one] || one - other);
  if (!numbered || Number(numbered[1]) >= nNodes) return nodes;
  const byNumber = Number(numbered[1]);
  return [byNumber, ...nodes.filter((node) => node !== byNumber)];
}

function isHit(node, words) {
  if (isLeaf(node)) {
    if (searchable(answerText(node)).includes(words)) return true;
  } else if (searchable(questionText(node)).includes(words)) {
    return true;
  }
  if (!node) return false;
  if (searchable(branchText(node)).includes(words)) return true;
  const isOfParent = searchable(questionText(parentOf[node])).includes(words);
  return !isOfParent && searchable(conditionText(node)).includes(words);
}

function search() {
  hits = nodesFor(searchField.value);
  hit = -1;
  found = new Set(hits);
  const isEmpty = !searchField.value.trim();
  searchCount.textContent = isEmpty
    ? ""
    : hits.length
      ? `${counted(hits.length, "node")}: press Enter`
      : "nothing found";
  remake();
}

function jumpToHit(step) {
  if (!hits.length) return;
  const from = hit < 0 && step < 0 ? 0 : hit; // backwards from none is the last
  hit = (from + step + hits.length) % hits.length;
  goTo(hits[hit]);
  searchCount.textContent = `${hit + 1} of ${thousands(String(hits.length))}: node ${hits[hit]}`;
}

searchField.addEventListener("input", search);
searchField.addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    event.preventDefault();
    jumpToHit(event.shiftKey ? -1 : 1);
  } else if (event.key === "Escape") {
    searchField.value = "";
    search();
    treeElement.focus();
  }
});
document.getElementById("search-next").addEventListener("click", () => jumpToHit(1));
document.getElementById("search-back").addEventListener("click", () => jumpToHit(-1));
