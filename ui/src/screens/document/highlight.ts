/** Finds the words of blocks, areas and quotes, on the picture and in the text. All pure. */
import { boxOf, type AreaView, type BlockView, type Box, type PageView, type WordView } from "../../api/types.ts";

/** A range of words of a page; `to` is exclusive. */
export interface WordRange {
  from: number;
  to: number;
}

export function wordsOfBlock(page: PageView, block: BlockView): WordRange | null {
  const first = page.lines[block.lines.from];
  const last = page.lines[block.lines.to - 1];
  return first && last ? { from: first.from, to: last.to } : null;
}

/** The block that a word is in. Words of a table's cells may be in no line of the block: then the smallest box counts. */
export function blockOfWord(page: PageView, word: number): number | null {
  const at = page.blocks.findIndex((block) => {
    const range = wordsOfBlock(page, block);
    return range !== null && word >= range.from && word < range.to;
  });
  return at < 0 ? null : at;
}

export function disputedWords(page: PageView): number[] {
  return page.words.flatMap((word, at) => (word.other ? [at] : []));
}

/** The words whose centre is in one of the boxes. */
export function wordsInBoxes(words: readonly WordView[], boxes: readonly Box[]): number[] {
  return words.flatMap((word, at) => {
    const box = boxOf(word.box);
    if (!box) return [];
    const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
    return boxes.some(([left, top, right, bottom]) => x >= left && x <= right && y >= top && y <= bottom) ? [at] : [];
  });
}

/** The letters and digits of a text: quotes have other dashes, hyphens and line ends than pages. */
function comparable(text: string): string {
  return text.normalize("NFKC").toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/**
 * The place of a quote on a page, compared by letters and digits. If the page has only a part (the quote may continue on
 * the next page), the longest beginning of the quote that is on it, if that is at least half.
 */
export function findPassage(words: readonly WordView[], quote: string): WordRange | null {
  const wanted = comparable(quote);
  if (wanted === "") return null;
  const parts = words.map((word) => comparable(word.text));
  let best: WordRange | null = null;
  let bestLength = 0;
  for (let from = 0; from < parts.length; from++) {
    if (parts[from] === "") continue;
    let length = 0;
    let to = from;
    for (; to < parts.length && length < wanted.length; to++) {
      const part = parts[to] ?? "";
      if (!wanted.startsWith(part, length)) break;
      length += part.length;
    }
    if (length > bestLength) {
      best = { from, to };
      bestLength = length;
    }
    if (length === wanted.length) break;
  }
  return bestLength * 2 >= wanted.length ? best : null;
}

/** One box around the words of each line. */
export function boxesOfWords(page: PageView, words: readonly number[]): Box[] {
  const lines = new Map<number, Box>();
  for (const word of words) {
    const box = boxOf(page.words[word]?.box);
    if (!box) continue;
    const line = page.lines.findIndex(({ from, to }) => word >= from && word < to);
    // Words of a table may be in no line: each has a box of its own.
    const key = line < 0 ? -1 - word : line;
    const other = lines.get(key) ?? box;
    lines.set(key, [Math.min(box[0], other[0]), Math.min(box[1], other[1]), Math.max(box[2], other[2]), Math.max(box[3], other[3])]);
  }
  return [...lines.values()];
}

/** What an address asks to see on a page: the words of its quote, or of its areas where the quote is not there. */
export interface Passage {
  words: number[];
  boxes: Box[];
  hasQuote: boolean;
}

export function passageOf(page: PageView, at: string | null, quote: string | null): Passage {
  const range = quote ? findPassage(page.words, quote) : null;
  if (range) {
    const words = Array.from({ length: range.to - range.from }, (_, offset) => range.from + offset);
    return { words, boxes: boxesOfWords(page, words), hasQuote: true };
  }
  const boxes = readAreas(at).filter((area) => area.page === page.number).map((area) => area.box);
  return { words: wordsInBoxes(page.words, boxes), boxes, hasQuote: false };
}

/** Areas as they stand in an address: `3:10,20,30,40;4:…`, page and box, in points. */
export function writeAreas(areas: readonly (AreaView | Area)[]): string {
  return areas.map(({ page, box }) => `${page}:${box.map((side) => Math.round(side * 10) / 10).join(",")}`).join(";");
}

/** A part of a page. */
export interface Area {
  page: number;
  box: Box;
}

export function readAreas(text: string | null): Area[] {
  return (text ?? "").split(";").flatMap((part) => {
    const [page, sides] = part.split(":");
    const box = boxOf(sides?.split(",").map(Number));
    const number = Number(page);
    return box && box.every(Number.isFinite) && Number.isInteger(number) && number > 0 ? [{ page: number, box }] : [];
  });
}

/** The address of a passage: the document, at the page, with what to highlight. */
export function addressOfPassage(passage: { doc_id: string; pages: number[]; areas: readonly (AreaView | Area)[]; quote?: string }): string {
  const params = new URLSearchParams();
  const page = passage.areas[0]?.page ?? passage.pages[0];
  if (page !== undefined) params.set("page", String(page));
  if (passage.areas.length > 0) params.set("at", writeAreas(passage.areas));
  if (passage.quote) params.set("quote", passage.quote);
  const text = params.toString();
  return `/documents/${passage.doc_id}${text ? `?${text}` : ""}`;
}

/**
 * The sentence of a snippet that has the most of what was searched for: a snippet may begin pages before it. Longer words
 * count more, as “the” and “of” are in every sentence.
 */
export function quoteOf({ snippet, highlights }: { snippet: string; highlights: readonly { start: number; end: number }[] }): string {
  let [from, best, bestWeight] = [0, snippet, 0];
  for (const [sentence] of snippet.matchAll(/.+?(?:[.!?…]+(?=\s|$)|$)/gsu)) {
    const to = from + Array.from(sentence).length;
    const weight = highlights.reduce((sum, { start, end }) => sum + (start >= from && end <= to ? (end - start) ** 2 : 0), 0);
    if (weight > bestWeight) [best, bestWeight] = [sentence.trim(), weight];
    from = to;
  }
  return best;
}

/** A text in pieces, each either highlighted or not. Offsets count characters (Unicode scalar values), not UTF-16 units. */
export function markedPieces(text: string, highlights: readonly { start: number; end: number }[]): { text: string; isMarked: boolean }[] {
  const characters = Array.from(text);
  const pieces: { text: string; isMarked: boolean }[] = [];
  let at = 0;
  const push = (to: number, isMarked: boolean) => {
    if (to > at) pieces.push({ text: characters.slice(at, to).join(""), isMarked });
    at = Math.max(at, to);
  };
  for (const { start, end } of [...highlights].sort((a, b) => a.start - b.start)) {
    push(Math.min(start, characters.length), false);
    push(Math.min(end, characters.length), true);
  }
  push(characters.length, false);
  return pieces;
}
