/**
 * Masks: regions of pages that nobody may read. A box is left, top, right, bottom, in shares (0 to 1) of the page, so that
 * one mask fits pages of every size. All pure.
 */
import { boxOf, type Box, type Mask, type Rules } from "../../api/types.ts";

export interface Point {
  x: number;
  y: number;
}

/** The kinds of files whose pages have a size, so that there is something to hide on them. */
const MASKED_KINDS = ["pdf", "png", "jpg", "tiff"];

/** The kinds to choose from: others that a mask names stay. */
export function kindsToChoose(mask: Mask): string[] {
  return [...new Set([...MASKED_KINDS, ...(mask.kinds ?? [])])];
}

const WHOLE_PAGE: Box = [0, 0, 1, 1];
/** A click without a movement is no region. */
const SMALLEST = 0.01;

export function areaOf(mask: Mask): Box {
  return boxOf(mask.box) ?? WHOLE_PAGE;
}

/** The box that two corners span, whichever was drawn first; null when there is hardly anything between them. */
export function boxBetween(one: Point, other: Point): Box | null {
  const [left, right] = [onPage(Math.min(one.x, other.x)), onPage(Math.max(one.x, other.x))];
  const [top, bottom] = [onPage(Math.min(one.y, other.y)), onPage(Math.max(one.y, other.y))];
  return right - left < SMALLEST || bottom - top < SMALLEST ? null : [left, top, right, bottom];
}

/** The box elsewhere on the page: it stops at the edges and keeps its size. */
export function movedBox([left, top, right, bottom]: Box, by: Point): Box {
  const x = Math.max(-left, Math.min(1 - right, by.x));
  const y = Math.max(-top, Math.min(1 - bottom, by.y));
  return [rounded(left + x), rounded(top + y), rounded(right + x), rounded(bottom + y)];
}

function onPage(share: number): number {
  return rounded(Math.max(0, Math.min(1, share)));
}

/** To a thousandth of the page: finer than a line of text is high. */
function rounded(share: number): number {
  return Math.round(share * 1000) / 1000;
}

/** What keeps a mask from being saved, in words. */
export function faultOf(mask: Mask): string | null {
  const [left, top, right, bottom] = areaOf(mask);
  if (![left, top, right, bottom].every((side) => side >= 0 && side <= 1)) return "Every side is between 0 and 100 percent of the page.";
  if (left >= right || top >= bottom) return "Left is less than right, and top less than bottom.";
  if (mask.page != null && (!Number.isInteger(mask.page) || mask.page < 1)) return "Pages are counted from 1.";
  return null;
}

export function placeInWords(mask: Mask): string {
  const where = mask.page == null ? "Every page" : `Page ${mask.page}`;
  const kinds = mask.kinds?.length ? `${mask.kinds.join(", ")} files` : "all files";
  return `${where} of ${kinds}${mask.file_name_contains ? ` with “${mask.file_name_contains}” in their name` : ""}`;
}

/** The rules as they are sent: what is empty is not said. */
export function asSent({ masks = [], pipeline = [] }: Rules): Rules {
  return {
    masks: masks.map(({ box, page, kinds = [], file_name_contains: name }) => ({
      box,
      ...(page != null && { page }),
      ...(kinds.length > 0 && { kinds }),
      ...(name?.trim() && { file_name_contains: name.trim() }),
    })),
    pipeline,
  };
}
