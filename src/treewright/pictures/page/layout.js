// Tidy layout for nodes of any size and number, in linear time: the algorithm of A. van der Ploeg,
// "Drawing non-layered tidy trees in linear time" (2014), as in layout.py. Each subtree is pushed
// right until its left outline touches the right outline of its elder siblings.

function tidyLayout(children, widths, heights, gap, levelGap) {
  const { tops, rowHeight, depth } = rowsByDepth(children, heights, levelGap);
  const outline = new Outline(
    children,
    widths.map((width) => width + gap),
    tops,
  );
  for (let node = children.length - 1; node >= 0; node -= 1) outline.placeChildren(node);
  const left = outline.positions();
  const start = left.reduce((least, x) => Math.min(least, x), Infinity);
  const x = left.map((position) => position - start);
  const width = x.reduce((most, position, node) => Math.max(most, position + widths[node]), 0);
  const height = rowHeight.reduce((sum, high) => sum + high, 0) + levelGap * (rowHeight.length - 1);
  const rowEnd = tops.map((top, node) => top + rowHeight[depth[node]]);
  return { x, y: tops, width, height, rowEnd };
}

// Where each node begins, the height of each row, and the row of each node.
function rowsByDepth(children, heights, levelGap) {
  const depth = new Array(children.length).fill(0);
  children.forEach((below, node) =>
    below.forEach((child) => {
      depth[child] = depth[node] + 1;
    }),
  );
  const rowHeight = [];
  heights.forEach((height, node) => {
    rowHeight[depth[node]] = Math.max(rowHeight[depth[node]] || 0, height);
  });
  const rowTop = [0];
  for (const height of rowHeight) rowTop.push(rowTop[rowTop.length - 1] + height + levelGap);
  return { tops: depth.map((level) => rowTop[level]), rowHeight, depth };
}

class Outline {
  constructor(children, widths, tops) {
    const zeros = () => new Float64Array(children.length);
    this.children = children;
    this.width = widths;
    this.top = tops;
    this.own = zeros(); // position of a node, before the shifts of its ancestors
    this.shift = zeros(); // of the whole subtree
    this.step = zeros(); // room to share out among the siblings from here on
    this.stepEnd = zeros(); // and what the last of them must not get twice
    this.thread = new Int32Array(children.length).fill(-1); // on to the outline of a deeper sibling
    // The lowest node on either side of a subtree, and the sum of shifts down to it.
    this.lowestLeft = Int32Array.from(children, (_, node) => node);
    this.lowestRight = Int32Array.from(children, (_, node) => node);
    this.shiftLeft = zeros();
    this.shiftRight = zeros();
  }

  // Put the subtrees of the children side by side, and the node above their middle.
  placeChildren(node) {
    const below = this.children[node];
    if (!below.length) return;
    const first = below[0];
    const last = below[below.length - 1];
    // The siblings that show from the right, deepest first: [how low each shows, its place].
    const showing = [[this.top[this.lowestLeft[first]], 0]];
    for (let place = 1; place < below.length; place += 1) {
      const lowest = this.top[this.lowestRight[below[place]]];
      this.pushRight(below, place, showing);
      while (showing.length && lowest >= showing[showing.length - 1][0]) showing.pop();
      showing.push([lowest, place]);
    }
    const ends = this.own[last] + this.shift[last] + this.width[last];
    this.own[node] = (this.own[first] + this.shift[first] + ends - this.width[node]) / 2;
    this.lowestLeft[node] = this.lowestLeft[first];
    this.shiftLeft[node] = this.shiftLeft[first];
    this.lowestRight[node] = this.lowestRight[last];
    this.shiftRight[node] = this.shiftRight[last];
  }

  // Push one subtree right of its elder siblings, along their outlines.
  pushRight(below, place, showing) {
    let elder = below[place - 1];
    let younger = below[place];
    let elderShift = this.shift[elder];
    let youngerShift = this.shift[younger];
    let blocker = showing.length - 1;
    while (elder >= 0 && younger >= 0) {
      while (this.top[elder] > showing[blocker][0]) blocker -= 1;
      const overlap =
        elderShift + this.own[elder] + this.width[elder] - youngerShift - this.own[younger];
      if (overlap > 0) {
        youngerShift += overlap;
        this.move(below, place, showing[blocker][1], overlap);
      }
      const elderTop = this.top[elder];
      const youngerTop = this.top[younger];
      if (elderTop <= youngerTop) {
        elder = this.nextOnRight(elder);
        elderShift += elder >= 0 ? this.shift[elder] : 0;
      }
      if (elderTop >= youngerTop) {
        younger = this.nextOnLeft(younger);
        youngerShift += younger >= 0 ? this.shift[younger] : 0;
      }
    }
    if (younger >= 0) this.threadLeft(below[0], below[place], younger, youngerShift);
    else if (elder >= 0) this.threadRight(below[place - 1], below[place], elder, elderShift);
  }

  // Move a subtree, and share the room out among the siblings between it and the blocker.
  move(below, place, blocker, distance) {
    const moved = below[place];
    this.shift[moved] += distance;
    this.shiftLeft[moved] += distance;
    this.shiftRight[moved] += distance;
    if (blocker === place - 1) return;
    const share = distance / (place - blocker);
    this.step[below[blocker + 1]] += share;
    this.step[moved] -= share;
    this.stepEnd[moved] -= distance - share;
  }

  nextOnLeft(node) {
    const below = this.children[node];
    return below.length ? below[0] : this.thread[node];
  }

  nextOnRight(node) {
    const below = this.children[node];
    return below.length ? below[below.length - 1] : this.thread[node];
  }

  // Continue the left outline of all siblings so far in the subtree that reaches deeper.
  threadLeft(first, deeper, onward, shift) {
    const end = this.lowestLeft[first];
    this.thread[end] = onward;
    const difference = shift - this.shift[onward] - this.shiftLeft[first];
    this.shift[end] += difference;
    this.own[end] -= difference;
    this.lowestLeft[first] = this.lowestLeft[deeper];
    this.shiftLeft[first] = this.shiftLeft[deeper];
  }

  // Continue the right outline of a subtree in that of its deeper elder sibling.
  threadRight(elder, younger, onward, shift) {
    const end = this.lowestRight[younger];
    this.thread[end] = onward;
    const difference = shift - this.shift[onward] - this.shiftRight[younger];
    this.shift[end] += difference;
    this.own[end] -= difference;
    this.lowestRight[younger] = this.lowestRight[elder];
    this.shiftRight[younger] = this.shiftRight[elder];
  }

  // The left end of each node, all shifts added up.
  positions() {
    const total = new Float64Array(this.children.length); // shifts of the node and its ancestors
    return this.children.map((below, node) => {
      total[node] += this.shift[node];
      let step = 0;
      let moved = 0;
      for (const child of below) {
        step += this.step[child];
        moved += step + this.stepEnd[child];
        total[child] = total[node] + moved;
      }
      return this.own[node] + total[node];
    });
  }
}
