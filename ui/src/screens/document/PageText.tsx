/** The text of a page, block by block. Every word has its number, which connects the picture and the text. */
import { memo, useEffect, useRef } from "react";
import type { BlockView, PageView, TableView } from "../../api/types.ts";
import { wordAt, type Focus } from "./focus.ts";
import { disputedWords, wordsOfBlock, type WordRange } from "./highlight.ts";
import { useStore } from "../../live/store.ts";
import { IconButton } from "../../design/basics.tsx";
import { useKeys } from "../../design/keyboard.ts";

const LOW_CONFIDENCE = 60;

export function PageText({ page, focus, passage }: { page: PageView; focus: Focus; passage: readonly number[] }) {
  const element = useRef<HTMLDivElement>(null);
  useMarkedWord(element, focus);
  useChosenWords(element, focus, page);
  useEffect(() => {
    const words = element.current ? wordElements(element.current, passage) : [];
    for (const word of words) word.classList.add("is-passage");
    words[0]?.scrollIntoView({ block: "center" });
    return () => words.forEach((word) => word.classList.remove("is-passage"));
  }, [passage, page]);
  return (
    <>
      <Disputes page={page} focus={focus} />
      <div
        ref={element}
        className="page-text"
        onPointerOver={(event) => focus.hovered.set(wordAt(event.target))}
        onPointerLeave={() => focus.hovered.set(null)}
        onClick={(event) => {
          const word = wordAt(event.target);
          if (word !== null) focus.chosen.set({ from: word, to: word + 1 });
        }}
      >
        <Blocks page={page} />
      </div>
    </>
  );
}

function wordElements(within: Element, words: readonly number[]): Element[] {
  return words.flatMap((word) => within.querySelector(`[data-word="${word}"]`) ?? []);
}

/** Sets the class directly: rendering a thousand words for every pointer move would be slow. */
function useMarkedWord(element: React.RefObject<HTMLElement | null>, focus: Focus): void {
  useEffect(() => {
    let marked: Element | null = null;
    return focus.hovered.subscribe(() => {
      marked?.classList.remove("is-hovered");
      const word = focus.hovered.get();
      marked = word === null ? null : (element.current?.querySelector(`[data-word="${word}"]`) ?? null);
      marked?.classList.add("is-hovered");
    });
  }, [element, focus]);
}

function useChosenWords(element: React.RefObject<HTMLElement | null>, focus: Focus, page: PageView): void {
  useEffect(() => {
    let marked: Element[] = [];
    const mark = () => {
      for (const word of marked) word.classList.remove("is-chosen");
      const range = focus.chosen.get();
      marked = element.current && range ? wordElements(element.current, numbersOf(range)) : [];
      for (const word of marked) word.classList.add("is-chosen");
      marked[0]?.scrollIntoView({ block: "nearest" });
    };
    mark();
    return focus.chosen.subscribe(mark);
  }, [element, focus, page]);
}

function numbersOf(range: WordRange): number[] {
  return Array.from({ length: range.to - range.from }, (_, at) => range.from + at);
}

const ENGINES = { layer: "text of the file", form: "form field", tesseract: "Tesseract", pp_ocr: "PP-OCR", agreed: "both engines" };

/** Steps through the words that the two OCR engines read differently. */
function Disputes({ page, focus }: { page: PageView; focus: Focus }) {
  const disputed = disputedWords(page);
  const chosen = useStore(focus.chosen);
  const at = chosen && chosen.to - chosen.from === 1 ? disputed.indexOf(chosen.from) : -1;
  const go = (step: number) => {
    const next = disputed[(at + step + disputed.length) % disputed.length];
    if (next !== undefined) focus.chosen.set({ from: next, to: next + 1 });
  };
  useKeys(disputed.length > 0 ? { n: () => go(1) } : {});
  if (disputed.length === 0) return null;
  const word = page.words[disputed[at] ?? -1];
  return (
    <div className="disputes" role="status">
      <IconButton icon="left" label="Previous disputed word" onClick={() => go(at < 0 ? 0 : -1)} />
      <IconButton icon="right" label="Next disputed word (n)" onClick={() => go(1)} />
      {word?.other
        ? <span><strong>{word.text}</strong> ({ENGINES[word.origin]}, {word.confidence}) or <strong>{word.other.text}</strong> ({ENGINES[word.other.origin]}, {word.other.confidence}); {at + 1} of {disputed.length}</span>
        : <span>The OCR engines disagree on {disputed.length === 1 ? "one word" : `${disputed.length} words`} of this page.</span>}
    </div>
  );
}

const Blocks = memo(function Blocks({ page }: { page: PageView }) {
  if (page.blocks.length === 0) return <p className="quiet">{NO_TEXT[page.text_source]}</p>;
  return page.blocks.map((block, at) => <Block key={at} page={page} block={block} />);
});

const NO_TEXT: Record<PageView["text_source"], string> = {
  layer: "This page has no text.",
  recognised: "OCR found no text on this page.",
  wanted: "OCR has not read this page yet.",
  unavailable: "This page has no text layer, and OCR was not available.",
  blank: "This page is blank.",
};

/** The level below the document's title: the page's highest level is 2, the next 3, whatever numbers the file uses. */
function headingLevel(page: PageView, level: number): number {
  const levels = page.blocks.filter((block) => block.kind === "heading").map((block) => block.level ?? 1);
  return Math.min(6, 2 + new Set(levels.filter((other) => other < level)).size);
}

function Block({ page, block }: { page: PageView; block: BlockView }) {
  const table = block.table == null ? undefined : page.tables[block.table];
  if (table) return <TableOfWords page={page} table={table} />;
  const range = wordsOfBlock(page, block);
  const content = range ? <Words page={page} range={range} isPreformatted={block.kind === "code"} /> : block.text;
  switch (block.kind) {
    case "heading":
      return <p className="block-heading" data-level={block.level ?? 1} role="heading" aria-level={headingLevel(page, block.level ?? 1)}>{content}</p>;
    case "list_item":
      return <p className="block-item" data-depth={block.level ?? 0}>{content}</p>;
    case "code":
      return <pre className="block-code">{content}</pre>;
    case "quote":
      return <blockquote>{content}</blockquote>;
    case "header":
    case "footer":
      return <p className="block-margin">{content}</p>;
    default:
      return <p>{content}</p>;
  }
}

function Words({ page, range, isPreformatted = false }: { page: PageView; range: WordRange; isPreformatted?: boolean }) {
  const lineEnds = isPreformatted ? new Set(page.lines.map((line) => line.to - 1)) : null;
  return page.words.slice(range.from, range.to).map((word, offset) => {
    const at = range.from + offset;
    const kind = word.other ? "word disputed" : word.confidence < LOW_CONFIDENCE ? "word unsure" : "word";
    const title = word.other ? `${ENGINES[word.other.origin]} read “${word.other.text}”` : word.confidence < LOW_CONFIDENCE ? `Confidence ${word.confidence} of 100` : undefined;
    return <span key={at}><span className={kind} data-word={at} title={title}>{word.text}</span>{lineEnds?.has(at) ? "\n" : " "}</span>;
  });
}

export function TableOfWords({ page, table }: { page: PageView; table: TableView }) {
  const rows = Array.from({ length: table.rows }, (_, row) => table.cells.filter((cell) => cell.row === row));
  return (
    <div className="table-wrap block-table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {filled(cells, table.columns).map((cell, column) => {
                if (cell === "covered") return null;
                const Tag = row < table.header_rows ? "th" : "td";
                return <Tag key={column} rowSpan={cell?.row_span} colSpan={cell?.column_span}>{cell && <Words page={page} range={cell.words} />}</Tag>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A row's cells by column, null for a missing cell, so that the columns align. */
function filled(cells: TableView["cells"], columns: number): (TableView["cells"][number] | null | "covered")[] {
  const row: (TableView["cells"][number] | null | "covered")[] = Array.from({ length: columns }, () => null);
  for (const cell of cells) {
    row[cell.column] = cell;
    for (let at = cell.column + 1; at < Math.min(columns, cell.column + cell.column_span); at++) row[at] = "covered";
  }
  return row;
}
