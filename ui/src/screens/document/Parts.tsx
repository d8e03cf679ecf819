/** What came together: a mail and what was attached to it are documents of their own. */
import { Link } from "wouter";
import type { PartView } from "../../api/types.ts";
import { StatusBadge } from "../../design/basics.tsx";
import { counted } from "../../format/numbers.ts";

const NAMED_IN_LINE = 2;

/** In one line for the head of a document; `rest` is where the others are listed. */
export function PartsLine({ parts, rest }: { parts: readonly PartView[]; rest: string }) {
  const within = parts.filter(isWithin);
  const around = parts.filter((part) => !isWithin(part));
  return (
    <>
      {around.length > 0 && <span className="document-parts">came in {around.slice(0, NAMED_IN_LINE).map((part) => <Link key={part.doc_id} href={`/documents/${part.doc_id}`}>{part.title}</Link>)}</span>}
      {within.length > 0 && (
        <span className="document-parts">
          attached: {within.slice(0, NAMED_IN_LINE).map((part) => <Link key={part.doc_id} href={`/documents/${part.doc_id}`}>{part.name || part.title}</Link>)}
          {within.length > NAMED_IN_LINE && <Link href={rest}>and {counted(within.length - NAMED_IN_LINE, "other")}</Link>}
        </span>
      )}
    </>
  );
}

export function PartsList({ parts }: { parts: readonly PartView[] }) {
  return (
    <ul className="parts">
      {parts.map((part) => (
        <li key={`${part.place} ${part.doc_id} ${part.name}`}>
          <span className="quiet">{isWithin(part) ? "Attached" : "Came in"}</span>
          <Link href={`/documents/${part.doc_id}`}>{isWithin(part) ? part.name || part.title : part.title}</Link>
          <StatusBadge status={part.status} />
        </li>
      ))}
    </ul>
  );
}

function isWithin(part: PartView): boolean {
  return part.place === "within";
}
