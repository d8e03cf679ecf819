/** A page to draw masks on: empty, or a document's page as a preview. */
import { useRef, useState, type PointerEvent } from "react";
import type { Box, Mask } from "../../api/types.ts";
import { usePicture } from "../document/PageViewer.tsx";
import { areaOf, boxBetween, movedBox, type Point } from "./masks.ts";

interface MaskDrawingProps {
  masks: readonly Mask[];
  chosen: number | null;
  /** The document and page to preview the masks on. */
  preview: { id: string; page: number } | null;
  onChoose: (mask: number) => void;
  onDraw: (box: Box) => void;
  onMove: (mask: number, box: Box) => void;
}

/** A pointer gesture: draws a new mask, or moves the one at `mask`. */
type Gesture = { from: Point; to: Point; mask: number | null };

const WIDTH = 800;

export function MaskDrawing({ masks, chosen, preview, onChoose, onDraw, onMove }: MaskDrawingProps) {
  const page = useRef<SVGSVGElement>(null);
  const [gesture, setGesture] = useState<Gesture | null>(null);
  const pointOf = (event: PointerEvent): Point => {
    const frame = page.current?.getBoundingClientRect();
    return frame ? { x: (event.clientX - frame.left) / frame.width, y: (event.clientY - frame.top) / frame.height } : { x: 0, y: 0 };
  };
  const begin = (event: PointerEvent) => {
    const mask = maskAt(event.target);
    const at = pointOf(event);
    page.current?.setPointerCapture(event.pointerId);
    if (mask !== null) onChoose(mask);
    setGesture({ from: at, to: at, mask });
  };
  const end = () => {
    if (!gesture) return;
    setGesture(null);
    const box = boxAfter(gesture, masks);
    if (!box) return;
    if (gesture.mask === null) onDraw(box);
    else onMove(gesture.mask, box);
  };
  return (
    <div className="mask-page">
      {preview && <PreviewPage id={preview.id} page={preview.page} />}
      <svg
        ref={page}
        viewBox="0 0 1 1"
        preserveAspectRatio="none"
        role="img"
        aria-label={`A page with ${masks.length} masked regions. Draw one with the pointer, or use “Add region”.`}
        onPointerDown={begin}
        onPointerMove={(event) => gesture && setGesture({ ...gesture, to: pointOf(event) })}
        onPointerUp={end}
        onPointerCancel={() => setGesture(null)}
      >
        {masks.map((mask, at) => <Region key={at} number={at} isChosen={at === chosen} box={(gesture?.mask === at ? boxAfter(gesture, masks) : null) ?? areaOf(mask)} />)}
        {gesture?.mask === null && <Region number={null} isChosen box={boxAfter(gesture, masks)} />}
      </svg>
    </div>
  );
}

function PreviewPage({ id, page }: { id: string; page: number }) {
  const { url } = usePicture(id, page, WIDTH);
  return url && <img src={url} alt="" draggable={false} />;
}

function Region({ number, isChosen, box }: { number: number | null; isChosen: boolean; box: Box | null }) {
  if (!box) return null;
  const [left, top, right, bottom] = box;
  return <rect className="mask-region" data-mask={number ?? undefined} data-chosen={isChosen} x={left} y={top} width={Math.max(0, right - left)} height={Math.max(0, bottom - top)} vectorEffect="non-scaling-stroke" />;
}

function maskAt(target: EventTarget): number | null {
  const number = target instanceof Element ? target.getAttribute("data-mask") : null;
  return number === null ? null : Number(number);
}

function boxAfter({ from, to, mask }: Gesture, masks: readonly Mask[]): Box | null {
  if (mask === null) return boxBetween(from, to);
  const moved = masks[mask];
  return moved ? movedBox(areaOf(moved), { x: to.x - from.x, y: to.y - from.y }) : null;
}
