import type { Ref } from "react";
import type { Box } from "../../api/types.ts";

interface BoxRectProps {
  box: Box;
  className: string;
  pad?: number;
  word?: number;
  /** The place of a mark in the list of the page's marks. */
  mark?: number;
  ref?: Ref<SVGRectElement>;
}

/** A box of a page, in the drawing over its picture. */
export function BoxRect({ box, className, pad = 0, word, mark, ref }: BoxRectProps) {
  const [left, top, right, bottom] = box;
  return <rect ref={ref} className={className} x={left - pad} y={top - pad} width={right - left + 2 * pad} height={bottom - top + 2 * pad} rx={1.5} data-word={word} data-mark={mark} />;
}
