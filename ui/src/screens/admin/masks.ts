/**
 * Masks: regions of pages that Docket blanks out. A box is left, top, right, bottom, in shares (0 to 1) of the page, so that
 * one mask fits pages of every size. All pure.
 */
import { boxOf, type Box, type Mask, type Rules } from "../../api/types.ts";

export interface Point {
  x: number;
  y: number;
}

/** The file types whose pages have a size, and so can have masks. */
const MASKED_KINDS = ["pdf", "png", "jpg", "tiff"];

/** The file types to choose from, including others that the mask already has. */
export function kindsToChoose(mask: Mask): string[] {
  return [...new Set([...MASKED_KINDS, ...(mask.kinds ?? [])])];
}

const WHOLE_PAGE: Box = [0, 0, 1, 1];
/** Smaller regions are clicks without a movement. */
const MIN_SIZE = 0.01;

export function areaOf(mask: Mask): Box {
  return boxOf(mask.box) ?? WHOLE_PAGE;
}

/** The box between two corners in any order; null when it is too small. */
export function boxBetween(one: Point, other: Point): Box | null {
  const [left, right] = [onPage(Math.min(one.x, other.x)), onPage(Math.max(one.x, other.x))];
  const [top, bottom] = [onPage(Math.min(one.y, other.y)), onPage(Math.max(one.y, other.y))];
  return right - left < MIN_SIZE || bottom - top < MIN_SIZE ? null : [left, top, right, bottom];
}

/** The box after a move. It stops at the edges of the page and keeps its size. */
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

/** Why a mask cannot be saved; null when it can. */
export function maskProblem(mask: Mask): string | null {
  const [left, top, right, bottom] = areaOf(mask);
  if (![left, top, right, bottom].every((side) => side >= 0 && side <= 1)) return "Every side must be between 0 and 100 percent.";
  if (left >= right || top >= bottom) return "Left must be less than right, and top less than bottom.";
  if (mask.page != null && (!Number.isInteger(mask.page) || mask.page < 1)) return "The page number must be 1 or more.";
  return null;
}

export function maskLabel(mask: Mask): string {
  const where = mask.page == null ? "Every page" : `Page ${mask.page}`;
  const kinds = mask.kinds?.length ? `${mask.kinds.join(", ")} files` : "all files";
  return `${where} of ${kinds}${mask.file_name_contains ? ` with “${mask.file_name_contains}” in their name` : ""}`;
}

/** The rules as they are sent, without empty fields. */
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
