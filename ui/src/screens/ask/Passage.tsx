import { Link } from "wouter";
import type { Hit } from "../../api/types.ts";
import { Badge } from "../../design/basics.tsx";
import { addressOfPassage, markedPieces, quoteOf } from "../document/highlight.ts";

/** A passage that was found, with a way to its page. */
export function Passage({ hit }: { hit: Hit }) {
  return (
    <article className="passage">
      <h3><Link href={addressOfPassage({ ...hit, quote: quoteOf(hit) })}>{hit.title}</Link></h3>
      <p className="passage-place">
        <Badge>{hit.file_kind}</Badge>
        {hit.pages.length > 0 && <span>{pagesInWords(hit.pages)}</span>}
        {hit.heading.length > 0 && <span className="truncate">{hit.heading.join(" › ")}</span>}
      </p>
      <p className="passage-text"><Marked text={hit.snippet} highlights={hit.highlights} /></p>
    </article>
  );
}

export function Marked({ text, highlights }: { text: string; highlights: Hit["highlights"] }) {
  return markedPieces(text, highlights).map((piece, at) => (piece.isMarked ? <mark key={at}>{piece.text}</mark> : <span key={at}>{piece.text}</span>));
}

export function pagesInWords(pages: readonly number[]): string {
  return pages.length === 1 ? `page ${pages[0] ?? 1}` : `pages ${pages.join(", ")}`;
}
