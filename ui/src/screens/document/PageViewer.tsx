/** The picture of a page, with its words and passages drawn over it. */
import "./viewer.css";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { memo, useEffect, useMemo, useRef, useState } from "react";
import { drawPage } from "../../api/endpoints.ts";
import { boxOf, type Box, type PageView } from "../../api/types.ts";
import { IconButton, ProblemNote } from "../../design/basics.tsx";
import { useKeys } from "../../design/keyboard.ts";
import { percent } from "../../format/numbers.ts";
import { useStore } from "../../live/store.ts";
import { BoxRect } from "./BoxRect.tsx";
import { wordAt, type Focus } from "./focus.ts";
import { blockOfWord, wordsOfBlock, type WordRange } from "./highlight.ts";
import { ActiveField, FieldMarks, focusField, markAt, pointAt } from "./result/FieldMarks.tsx";
import type { BoxMark } from "./result/fields.ts";
import { Thumbnails } from "./Thumbnails.tsx";

interface PageViewerProps {
  id: string;
  page: PageView;
  /** The passages of the address on this page. */
  areas: readonly Box[];
  /** The boxes of the result's fields on this page, while its fields are shown. */
  marks: readonly BoxMark[];
  focus: Focus;
  onPage: (page: number) => void;
}

const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];
/** The widths in pixels that the server draws pages in. */
const WIDTHS = [800, 1280, 2000];

export function PageViewer({ id, page, areas, marks, focus, onPage }: PageViewerProps) {
  const [zoom, setZoom] = useState(1);
  const [turns, setTurns] = useState(0);
  const [isStripOpen, setStripOpen] = useState(page.pages > 1);
  const [stage, stageWidth] = useWidth();
  const goTo = (number: number) => number >= 1 && number <= page.pages && onPage(number);
  const zoomBy = (step: number) => setZoom((now) => ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, ZOOMS.indexOf(now) + step))] ?? 1);
  useKeys({
    ArrowLeft: () => goTo(page.number - 1),
    ArrowRight: () => goTo(page.number + 1),
    "+": () => zoomBy(1),
    "=": () => zoomBy(1),
    "-": () => zoomBy(-1),
    "0": () => setZoom(1),
    r: () => setTurns((now) => (now + 1) % 4),
    p: () => setStripOpen((now) => !now),
  });
  return (
    <section className="viewer" aria-label="Pages">
      <div className="viewer-bar" role="toolbar" aria-label="Page">
        <IconButton data-wide icon="thumbnails" label="Thumbnails (p)" aria-pressed={isStripOpen} onClick={() => setStripOpen(!isStripOpen)} />
        <span className="viewer-gap" />
        <IconButton icon="left" label="Previous page (←)" disabled={page.number <= 1} onClick={() => goTo(page.number - 1)} />
        <PageNumber page={page} onPage={goTo} />
        <IconButton icon="right" label="Next page (→)" disabled={page.number >= page.pages} onClick={() => goTo(page.number + 1)} />
        <span className="viewer-gap" />
        <IconButton icon="minus" label="Smaller (−)" disabled={zoom === ZOOMS[0]} onClick={() => zoomBy(-1)} />
        <span className="viewer-zoom">{percent(zoom)}</span>
        <IconButton icon="plus" label="Larger (+)" disabled={zoom === ZOOMS.at(-1)} onClick={() => zoomBy(1)} />
        <IconButton data-wide icon="fit" label="Fit the width (0)" onClick={() => setZoom(1)} />
        <IconButton icon="rotate" label="Rotate (r)" onClick={() => setTurns((turns + 1) % 4)} />
      </div>
      <div className="viewer-body">
        {isStripOpen && <Thumbnails id={id} pages={page.pages} current={page.number} onPage={goTo} />}
        <div ref={stage} className="viewer-stage" tabIndex={0} role="group" aria-label={`Page ${page.number} of ${page.pages}`}>
          <Sheet id={id} page={page} areas={areas} marks={marks} focus={focus} width={Math.max(120, (stageWidth - 32) * zoom)} turns={turns} />
        </div>
      </div>
    </section>
  );
}

function PageNumber({ page, onPage }: { page: PageView; onPage: (page: number) => void }) {
  return (
    <label className="viewer-page">
      <span className="visually-hidden">Page</span>
      <input
        key={page.number}
        className="input"
        inputMode="numeric"
        defaultValue={page.number}
        onKeyDown={(event) => event.key === "Enter" && onPage(Number(event.currentTarget.value))}
        onBlur={(event) => onPage(Number(event.currentTarget.value))}
      />
      <span className="quiet">of {page.pages}</span>
    </label>
  );
}

function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width] as const;
}

interface SheetProps extends Omit<PageViewerProps, "onPage"> {
  /** How wide the page is drawn before it is turned. */
  width: number;
  turns: number;
}

function Sheet({ id, page, areas, marks, focus, width, turns }: SheetProps) {
  const [pageWidth, pageHeight] = [page.width ?? 612, page.height ?? 792];
  const isSideways = turns % 2 === 1;
  // A rotated page is as wide as it was high, and must still fit.
  const drawnWidth = isSideways ? (width * pageWidth) / pageHeight : width;
  const drawnHeight = (drawnWidth * pageHeight) / pageWidth;
  const wanted = drawnWidth * Math.min(2, window.devicePixelRatio);
  const pixels = WIDTHS.find((candidate) => candidate >= wanted) ?? WIDTHS.at(-1) ?? 800;
  const picture = usePicture(id, page.number, pixels);
  return (
    <div className="sheet" style={isSideways ? { width: drawnHeight, height: drawnWidth } : { width: drawnWidth, height: drawnHeight }}>
      <div className="sheet-turn" style={{ width: drawnWidth, height: drawnHeight, transform: `translate(-50%, -50%) rotate(${turns * 90}deg)` }}>
        {picture.url && <img src={picture.url} alt={`Page ${page.number}`} draggable={false} />}
        {picture.error !== null && <ProblemNote error={picture.error} />}
        {!picture.url && picture.error === null && <span className="skeleton sheet-wait" />}
        <Overlay page={page} areas={areas} marks={marks} focus={focus} width={pageWidth} height={pageHeight} />
      </div>
    </div>
  );
}

/** The picture as an object URL, revoked when it is no longer shown. */
export function usePicture(id: string, page: number, width: number): { url: string | null; error: Error | null } {
  const { data, error } = useQuery({
    queryKey: ["picture", id, page, width],
    queryFn: ({ signal }) => drawPage(id, page, width, signal),
    staleTime: Infinity,
    // Keep the picture while a sharper one of the same page loads, but not while another page loads.
    placeholderData: (previous, query) => (query?.queryKey[2] === page ? keepPreviousData(previous) : undefined),
  });
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!data) return;
    const made = URL.createObjectURL(data);
    // An object URL is a resource outside React that must be created and revoked.
    // eslint-disable-next-line react-hooks/set-state-in-effect
    setUrl(made);
    return () => {
      setUrl(null);
      URL.revokeObjectURL(made);
    };
  }, [data]);
  return { url, error };
}

interface OverlayProps {
  page: PageView;
  areas: readonly Box[];
  marks: readonly BoxMark[];
  focus: Focus;
  width: number;
  height: number;
}

function Overlay({ page, areas, marks, focus, width, height }: OverlayProps) {
  const drawing = useRef<SVGSVGElement>(null);
  useEffect(() => bringIntoView(drawing.current, ".overlay-passage"), [areas]);
  useEffect(() => focus.chosen.subscribe(() => {
    // After the next paint, when the mark exists.
    requestAnimationFrame(() => bringIntoView(drawing.current, ".overlay-chosen"));
  }), [focus]);
  return (
    <svg
      ref={drawing}
      className="overlay"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      onPointerMove={(event) => {
        setIfOther(focus, wordAt(event.target));
        pointAt(focus, markAt(event.target, marks), page.number);
      }}
      onPointerLeave={() => {
        setIfOther(focus, null);
        pointAt(focus, null, page.number);
      }}
      onClick={(event) => {
        const mark = markAt(event.target, marks);
        if (mark) focusField(mark.paths[0]);
        else focus.chosen.set(rangeOfClick(page, wordAt(event.target), event.detail > 1));
      }}
    >
      {areas.map((box, at) => <BoxRect key={at} box={box} className="overlay-passage" pad={2} />)}
      <HoveredBlock page={page} focus={focus} />
      <ChosenWords page={page} focus={focus} />
      <WordRects page={page} />
      <FieldMarks marks={marks} />
      <ActiveField focus={focus} page={page.number} />
    </svg>
  );
}

function bringIntoView(drawing: Element | null, selector: string): void {
  drawing?.querySelector(selector)?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function setIfOther(focus: Focus, word: number | null): void {
  if (focus.hovered.get() !== word) focus.hovered.set(word);
}

/** The first click selects the block of the word, the second the word. */
function rangeOfClick(page: PageView, word: number | null, isSecond: boolean): WordRange | null {
  if (word === null) return null;
  const block = page.blocks[blockOfWord(page, word) ?? -1];
  const range = block ? wordsOfBlock(page, block) : null;
  return isSecond || !range ? { from: word, to: word + 1 } : range;
}

const WordRects = memo(function WordRects({ page }: { page: PageView }) {
  return page.words.map((word, at) => {
    const box = boxOf(word.box);
    return box && <BoxRect key={at} box={box} word={at} className={word.other ? "overlay-disputed" : "overlay-word"} />;
  });
});

function HoveredBlock({ page, focus }: { page: PageView; focus: Focus }) {
  const word = useStore(focus.hovered);
  if (word === null) return null;
  const block = boxOf(page.blocks[blockOfWord(page, word) ?? -1]?.box);
  const own = boxOf(page.words[word]?.box);
  return (
    <>
      {block && <BoxRect box={block} className="overlay-block" pad={2} />}
      {own && <BoxRect box={own} className="overlay-hovered" pad={1} />}
    </>
  );
}

function ChosenWords({ page, focus }: { page: PageView; focus: Focus }) {
  const range = useStore(focus.chosen);
  const boxes = useMemo(() => page.words.slice(range?.from ?? 0, range?.to ?? 0).map((word) => boxOf(word.box)).filter((box) => box !== null), [page, range]);
  return boxes.map((box, at) => <BoxRect key={at} box={box} className="overlay-chosen" pad={1} />);
}
