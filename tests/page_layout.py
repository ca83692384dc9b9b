"""What is wrong with the layout of a page, measured in the browser; no pictures are compared."""

from typing import Any

# Everything is measured in one pass. `least` has the least sizes of letters, in pixels: of the page
# and of its pictures. `onPaper` says that nothing can be scrolled.
PROBLEMS = """
({least, onPaper, within}) => {
  const found = [];
  const width = window.innerWidth;
  const roots = [...document.querySelectorAll(within)];
  const named = (one) => `${one.tagName.toLowerCase()}${one.id ? "#" + one.id : ""}` +
    `${one.className && one.className.baseVal === undefined ? "." + one.className : ""}` +
    ` "${one.textContent.trim().slice(0, 40)}"`;
  const excess = document.documentElement.scrollWidth - width;
  if (excess > 1) found.push(`the page is ${excess} pixels wider than the window`);

  const isScroller = (one) => ["auto", "scroll"].includes(getComputedStyle(one).overflowX);
  const hasCue = (one) => {
    const style = getComputedStyle(one);
    return style.backgroundImage.includes("gradient") || "more" in one.dataset ||
      parseFloat(style.getPropertyValue("--tw-fade")) > 0;
  };
  const isOurs = (one) => !one.closest(".spoken-only, noscript, .sk-top-container, .jp-input");
  const elements = roots.flatMap((root) => [root, ...root.querySelectorAll("*")])
    .filter((one) => isOurs(one) && one.getClientRects().length);
  for (const one of elements) {
    if (one.namespaceURI !== "http://www.w3.org/1999/xhtml") continue;
    const style = getComputedStyle(one);
    if (one.scrollWidth > one.clientWidth + 1 && one.clientWidth && style.overflowX !== "visible") {
      if (onPaper) found.push(`cut on paper: ${named(one)}`);
      else if (!isScroller(one) && !hasCue(one)) found.push(`cut: ${named(one)}`);
      else if (!hasCue(one)) found.push(`scrolls without a cue: ${named(one)}`);
    }
    if (style.overflowY === "hidden" && one.scrollHeight > one.clientHeight + 2 && !hasCue(one))
      found.push(`cut below: ${named(one)}`);
    if (one.placeholder) {
      const ruler = document.createElement("canvas").getContext("2d");
      ruler.font = style.font;
      const room = one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      if (ruler.measureText(one.placeholder).width > room) found.push(`cut: ${one.placeholder}`);
    }
    if (onPaper && ["fixed", "sticky"].includes(style.position))
      found.push(`${style.position} on paper: ${named(one)}`);
  }

  const sizeOf = (one) => {
    const size = parseFloat(getComputedStyle(one).fontSize);
    const matrix = one.getScreenCTM && one.getScreenCTM();
    return matrix ? size * Math.hypot(matrix.a, matrix.b) : size;
  };
  const ownText = (one) =>
    [...one.childNodes].filter((node) => node.nodeType === 3 && node.data.trim());
  for (const one of elements) {
    if (one.closest("math, select, title, style, script")) continue;
    const texts = ownText(one);
    if (!texts.length) continue;
    const isPicture = Boolean(one.closest("svg"));
    const size = sizeOf(one);
    if (size < least[isPicture ? 1 : 0] - 0.05)
      found.push(`letters of ${size.toFixed(1)} pixels: ${named(one)}`);
    const words = document.createRange();
    words.selectNodeContents(texts[0]);
    const box = words.getBoundingClientRect();
    if (box.width && (box.right > width + 1 || box.left < -1)) {
      let above = one;
      while (above && !isScroller(above) && !hasCue(above)) above = above.parentElement;
      if (onPaper || !above) found.push(`beyond the window: ${named(one)}`);
    }
  }
  return found;
}
"""

# The contrast of each text in a picture with what lies behind it, where that is less than asked.
FAINT_WORDS = """
(least) => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const colors = new Map();
  const shown = (color) => {
    if (!colors.has(color)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      colors.set(color, [...canvas.getImageData(0, 0, 1, 1).data]);
    }
    return colors.get(color);
  };
  const luminance = ([red, green, blue]) => {
    const linear = [red, green, blue].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const page = shown(getComputedStyle(document.documentElement).backgroundColor)[3]
    ? getComputedStyle(document.documentElement).backgroundColor
    : getComputedStyle(document.body).backgroundColor;
  const found = [];
  for (const picture of document.querySelectorAll("svg.tw-picture, svg#picture")) {
    const behind = [];
    for (const one of picture.querySelectorAll("rect, text")) {
      const box = one.getBoundingClientRect();
      if (one.tagName === "rect") {
        const fill = getComputedStyle(one).fill;
        if (fill !== "none" && shown(fill)[3] === 255) behind.push([box, fill]);
        continue;
      }
      if (!box.width) continue;
      const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
      const under = behind.filter(([area]) =>
        area.left <= x && x <= area.right && area.top <= y && y <= area.bottom);
      const paper = under.length ? under[under.length - 1][1] : page;
      const ratio = contrast(shown(getComputedStyle(one).fill), shown(paper));
      if (ratio < least) found.push(`${ratio.toFixed(1)}: ${one.textContent}`);
    }
  }
  return found;
}
"""
LEAST_CONTRAST = 4.5

PAGE_LETTERS, PICTURE_LETTERS = 11.0, 8.4  # pixels
ON_PAPER = (9.5, 5.0)  # a pixel is three quarters of a point


def layout_problems(opened: Any, *, on_paper: bool = False, within: str = "body") -> list[str]:
    """What is cut, hidden, too small or beyond the edge."""
    least = ON_PAPER if on_paper else (PAGE_LETTERS, PICTURE_LETTERS)
    options = {"least": least, "onPaper": on_paper, "within": within}
    return sorted(set(opened.page.evaluate(PROBLEMS, options)))


def faint_words(opened: Any) -> list[str]:
    """Texts of pictures that stand out too little."""
    return opened.page.evaluate(FAINT_WORDS, LEAST_CONTRAST)
