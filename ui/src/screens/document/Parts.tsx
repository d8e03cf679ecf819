/** An email and its attachments: each is a document of its own. */
import { Link } from "wouter";
import type { PartView } from "../../api/types.ts";
import { StatusBadge } from "../../design/basics.tsx";
import { counted } from "../../format/numbers.ts";

const NAMED_IN_LINE = 2;

/** One line for the header of a document; `rest` is the address that lists the others. */
export function PartsLine({ parts, rest }: { parts: readonly PartView[]; rest: string }) {
  const attachments = parts.filter(isAttachment);
  const parents = parts.filter((part) => !isAttachment(part));
  return (
    <>
      {parents.length > 0 && <span className="document-parts">Attached to {parents.slice(0, NAMED_IN_LINE).map((part) => <Link key={part.doc_id} href={`/documents/${part.doc_id}`}>{part.title}</Link>)}</span>}
      {attachments.length > 0 && (
        <span className="document-parts">
          Attachments: {attachments.slice(0, NAMED_IN_LINE).map((part) => <Link key={part.doc_id} href={`/documents/${part.doc_id}`}>{part.name || part.title}</Link>)}
          {attachments.length > NAMED_IN_LINE && <Link href={rest}>and {counted(attachments.length - NAMED_IN_LINE, "other")}</Link>}
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
          <span className="quiet">{isAttachment(part) ? "Attachment" : "Attached to"}</span>
          <Link href={`/documents/${part.doc_id}`}>{isAttachment(part) ? part.name || part.title : part.title}</Link>
          <StatusBadge status={part.status} />
        </li>
      ))}
    </ul>
  );
}

function isAttachment(part: PartView): boolean {
  return part.place === "within";
}
