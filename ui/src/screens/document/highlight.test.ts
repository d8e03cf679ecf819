import { describe, expect, it } from "vitest";
import type { PageView, WordView } from "../../api/types.ts";
import { addressOfPassage, blockOfWord, boxesOfWords, disputedWords, findPassage, markedPieces, passageOf, quoteOf, readAreas, wordsInBoxes, wordsOfBlock, writeAreas } from "./highlight.ts";

const words = (text: string): WordView[] =>
  text.split(" ").map((word, at) => ({ text: word, box: [at * 10, 0, at * 10 + 8, 10], confidence: 99, origin: "layer" }));

const page = {
  words: words("Invoice No. 7 is due in ten days"),
  lines: [{ from: 0, to: 3 }, { from: 3, to: 5 }, { from: 5, to: 8 }],
  blocks: [
    { kind: "heading", lines: { from: 0, to: 1 }, text: "" },
    { kind: "paragraph", lines: { from: 1, to: 3 }, text: "" },
  ],
} as unknown as PageView;

describe("words and blocks", () => {
  it("refer to each other", () => {
    expect(page.blocks.map((block) => wordsOfBlock(page, block))).toEqual([{ from: 0, to: 3 }, { from: 3, to: 8 }]);
    expect([blockOfWord(page, 2), blockOfWord(page, 3), blockOfWord(page, 99)]).toEqual([0, 1, null]);
  });

  it("are in an area when their centre is", () => {
    expect(wordsInBoxes(page.words, [[9, 0, 26, 10]])).toEqual([1, 2]);
  });

  it("are disputed when the engines read them differently", () => {
    const [first, ...rest] = page.words;
    const other = { text: "lnvoice", confidence: 40, origin: "tesseract" as const };
    expect(first && disputedWords({ ...page, words: [{ ...first, other }, ...rest] })).toEqual([0]);
  });
});

describe("findPassage", () => {
  it("ignores case, punctuation and how words are split", () => {
    expect(findPassage(page.words, "invoice No.7")).toEqual({ from: 0, to: 3 });
    expect(findPassage(words("The pay- ment is due"), "payment is")).toEqual({ from: 1, to: 4 });
  });

  it("accepts the beginning of a quote that continues on the next page, unless it is too short", () => {
    expect(findPassage(page.words, "due in ten days from today")).toEqual({ from: 4, to: 8 });
    expect(findPassage(page.words, "due to circumstances beyond control")).toBeNull();
    expect(findPassage(page.words, "…")).toBeNull();
  });
});

describe("passageOf", () => {
  const numbered = { ...page, number: 1 };

  it("shows the words of the quote, boxed line by line, rather than all of its areas", () => {
    expect(passageOf(numbered, "1:0,0,100,10", "7 is due")).toEqual({ words: [2, 3, 4], boxes: [[20, 0, 28, 10], [30, 0, 48, 10]], hasQuote: true });
  });

  it("shows the areas of this page when the quote is not on it", () => {
    expect(passageOf(numbered, "1:9,0,26,10;2:0,0,5,5", "nowhere to be found")).toEqual({ words: [1, 2], boxes: [[9, 0, 26, 10]], hasQuote: false });
    expect(passageOf(numbered, null, null)).toEqual({ words: [], boxes: [], hasQuote: false });
  });

  it("draws single boxes for words that are in no line", () => {
    expect(boxesOfWords({ ...page, lines: [] }, [0, 1])).toEqual([[0, 0, 8, 10], [10, 0, 18, 10]]);
  });
});

describe("addresses of passages", () => {
  it("read back as they were written", () => {
    const areas = [{ page: 3, box: [10, 20.25, 30, 40] as const }, { page: 4, box: [1, 2, 3, 4] as const }];
    expect(readAreas(writeAreas(areas))).toEqual([{ page: 3, box: [10, 20.3, 30, 40] }, areas[1]]);
    expect(addressOfPassage({ doc_id: "d", pages: [9], areas, quote: "a b" })).toBe("/documents/d?page=3&at=3%3A10%2C20.3%2C30%2C40%3B4%3A1%2C2%2C3%2C4&quote=a+b");
    expect(addressOfPassage({ doc_id: "d", pages: [], areas: [] })).toBe("/documents/d");
  });

  it("that are malformed highlight nothing", () => {
    expect(readAreas("3:1,2,x,4;0:1,2,3,4;nonsense;5:1,2")).toEqual([]);
    expect(readAreas(null)).toEqual([]);
  });
});

describe("quoteOf", () => {
  it("is the sentence with the most matches", () => {
    const snippet = "😀 The rent of the house is due. The lease ends in 2031. Of the rest";
    const highlights = ["The", "of", "the", "lease", "ends"].map((word) => ({ start: Array.from(snippet.slice(0, snippet.indexOf(word))).length, end: Array.from(snippet.slice(0, snippet.indexOf(word))).length + word.length }));
    expect(quoteOf({ snippet, highlights })).toBe("The lease ends in 2031.");
  });

  it("is the whole text when nothing is marked, and does not end within a number", () => {
    expect(quoteOf({ snippet: "One. Two.", highlights: [] })).toBe("One. Two.");
    expect(quoteOf({ snippet: "Pay 11.5 now. Or not.", highlights: [{ start: 9, end: 12 }] })).toBe("Pay 11.5 now.");
  });
});

describe("markedPieces", () => {
  it("counts characters, not UTF-16 units", () => {
    expect(markedPieces("😀 rent due", [{ start: 2, end: 6 }])).toEqual([
      { text: "😀 ", isMarked: false }, { text: "rent", isMarked: true }, { text: " due", isMarked: false },
    ]);
  });

  it("survives offsets that overlap or leave the text", () => {
    expect(markedPieces("abc", [{ start: 1, end: 9 }, { start: 0, end: 2 }])).toEqual([
      { text: "ab", isMarked: true }, { text: "c", isMarked: true },
    ]);
    expect(markedPieces("abc", [])).toEqual([{ text: "abc", isMarked: false }]);
  });
});
