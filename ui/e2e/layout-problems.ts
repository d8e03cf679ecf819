/** Checks of a page's layout. They run in the browser, so each is one function without imports. */

/** Content that is wider than its place, and text of which no whole word can be seen. */
export function layoutProblems(): string[] {
  const problems = new Set<string>();
  const main = document.querySelector("main");
  const root = document.querySelector("dialog[open]") ?? main;
  if (!main || !root) return ["there is no main region"];
  for (const part of [document.documentElement, main, ...document.querySelectorAll("dialog[open]")]) {
    const overflow = part.scrollWidth - part.clientWidth;
    if (overflow > 0) problems.add(`${part.tagName.toLowerCase()} scrolls sideways by ${overflow} px`);
  }

  const nameOf = (element: Element) => `<${element.tagName.toLowerCase()} class="${element.getAttribute("class") ?? ""}"> ${element.textContent.trim().slice(0, 50)}`;
  const isHidden = (element: Element) => element.closest(".visually-hidden, [aria-hidden=true], svg, option, datalist, .rail-label") !== null || !element.checkVisibility({ visibilityProperty: true });
  /** The edges that cut an element off; null when it is in a box that scrolls by itself. */
  const clipOf = (element: Element): { left: number; right: number; isEllipsis: boolean } | null => {
    let [left, right, isEllipsis] = [0, window.innerWidth, false];
    // A dialog is in the top layer: what is around it does not cut it off.
    for (let parent: Element | null = element; parent && parent !== root.parentElement; parent = parent.parentElement) {
      const style = getComputedStyle(parent);
      const isBox = parent !== root && parent !== main;
      if (isBox && parent !== element && ["auto", "scroll"].includes(style.overflowX)) return null;
      if (["hidden", "clip"].includes(style.overflowX)) {
        const box = parent.getBoundingClientRect();
        left = Math.max(left, box.left);
        right = Math.min(right, box.right);
        isEllipsis ||= style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
      }
    }
    return { left, right, isEllipsis };
  };

  /** A file name or an id has to break somewhere. */
  const isWithinLongWord = (text: string, at: number) => ((/\S*$/.exec(text.slice(0, at))?.[0] ?? "") + (/^\S*/.exec(text.slice(at))?.[0] ?? "")).length > 24;

  for (const element of root.querySelectorAll("*")) {
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0 || isHidden(element)) continue;
    const clip = clipOf(element);
    if (clip && !clip.isEllipsis && (box.right > clip.right + 1 || box.left < clip.left - 1)) problems.add(`is cut off: ${nameOf(element)}`);
  }

  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const parent = text.parentElement;
    const words = [...(text.nodeValue ?? "").matchAll(/[\p{L}\p{N}]{3,}/gu)];
    if (!parent || words.length === 0 || isHidden(parent)) continue;
    const clip = clipOf(parent);
    if (!clip) continue;
    let isSeen = false;
    let isDrawn = false;
    for (const word of words) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const boxes = [...range.getClientRects()].filter((box) => box.width > 0);
      isDrawn ||= boxes.length > 0;
      isSeen ||= boxes.some((box) => box.left >= clip.left - 1 && box.right <= clip.right + 1);
      const isBroken = boxes.some((box) => Math.abs(box.top - (boxes[0]?.top ?? 0)) > 4);
      if (isBroken && word[0].length <= 10 && !isWithinLongWord(text.nodeValue ?? "", word.index)) problems.add(`breaks the word “${word[0]}”: ${nameOf(parent)}`);
    }
    if (isDrawn && !isSeen) problems.add(`shows no whole word: ${nameOf(parent)}`);
  }
  return [...problems];
}

/** Controls that are too small for a finger. Links and buttons within a line of text may be smaller. */
export function smallTargets(least: number): string[] {
  const root = document.querySelector("dialog[open]") ?? document.querySelector("main");
  const controls = root?.querySelectorAll("button, .button, select, summary, input, [role=tab], nav a") ?? [];
  return [...controls].flatMap((control) => {
    if (!(control instanceof HTMLElement) || !control.checkVisibility() || getComputedStyle(control).display.startsWith("inline ") || getComputedStyle(control).display === "inline") return [];
    if (control.matches(".visually-hidden, [type=hidden], [type=checkbox], [type=radio], .audit-open, .artifact, .field-value, .trace button, .tag-remove")) return [];
    const { width, height } = control.getBoundingClientRect();
    return height > 0 && (height < least - 0.5 || width < least - 0.5) ? [`${Math.round(width)} × ${Math.round(height)}: ${control.outerHTML.slice(0, 120)}`] : [];
  });
}
