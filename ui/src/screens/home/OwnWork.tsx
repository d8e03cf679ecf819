/** For roles without access to the queues: the progress of their documents, and which of them failed. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { listDocuments } from "../../api/endpoints.ts";
import type { DocumentStatus, DocumentView } from "../../api/types.ts";
import { ProblemNote, SkeletonRows, StatusBadge } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { progressOf } from "../../live/live.ts";
import { rowProgress } from "../../live/progress.ts";
import { useStorePart } from "../../live/store.ts";

const SHOWN = 8;

function useLatest(status: DocumentStatus) {
  return useQuery({ queryKey: ["fresh", "own", status], queryFn: () => listDocuments({ status, limit: SHOWN }) });
}

export function OwnWork() {
  const processing = useLatest("processing");
  const uploaded = useLatest("uploaded");
  const failed = useLatest("failed");
  const error = processing.error ?? uploaded.error ?? failed.error;
  const unfinished = [...(processing.data?.items ?? []), ...(uploaded.data?.items ?? [])];
  const isPending = processing.isPending || uploaded.isPending || failed.isPending;
  return (
    <>
      <section className="card" aria-labelledby="under-way">
        <div className="card-head"><h2 id="under-way">Processing</h2></div>
        {error && <div className="card-body"><ProblemNote error={error} /></div>}
        {isPending && !error && <SkeletonRows rows={3} />}
        {!isPending && unfinished.length === 0 && <p className="card-body all-clear"><Icon name="check" /> No document is being processed.</p>}
        <ul className="latest">{unfinished.map((row) => <UnfinishedRow key={row.doc_id} row={row} />)}</ul>
      </section>
      {failed.data && failed.data.items.length > 0 && (
        <section className="card" aria-labelledby="own-failed">
          <div className="card-head"><h2 id="own-failed">Failed</h2></div>
          <ul className="needs">
            {failed.data.items.map((row) => (
              <li key={row.doc_id}>
                <Link href={`/documents/${row.doc_id}`}>{row.title}</Link>
                <p className="quiet">{row.error ?? "No reason was recorded."}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function UnfinishedRow({ row }: { row: DocumentView }) {
  const live = useStorePart(progressOf, (all) => all.get(row.doc_id));
  return (
    <li>
      <Link href={`/documents/${row.doc_id}`} className="truncate">{row.title}</Link>
      <span className="quiet truncate">{rowProgress(row, live)?.text}</span>
      <StatusBadge status={row.status} />
    </li>
  );
}
