/** For those who see no queues: how far their documents are, and which of them failed. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { listDocuments } from "../../api/endpoints.ts";
import type { DocumentStatus, DocumentView } from "../../api/types.ts";
import { Badge, ProblemNote, SkeletonRows, StatusBadge } from "../../design/basics.tsx";
import { Icon } from "../../design/Icon.tsx";
import { progressOf } from "../../live/live.ts";
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
  const underWay = [...(processing.data?.items ?? []), ...(uploaded.data?.items ?? [])];
  const isPending = processing.isPending || uploaded.isPending || failed.isPending;
  return (
    <>
      <section className="card" aria-labelledby="under-way">
        <div className="card-head"><h2 id="under-way">Under way</h2></div>
        {error && <div className="card-body"><ProblemNote error={error} /></div>}
        {isPending && !error && <SkeletonRows rows={3} />}
        {!isPending && underWay.length === 0 && <p className="card-body all-well"><Icon name="check" /> Everything you brought in has been read.</p>}
        <ul className="latest">{underWay.map((row) => <UnderWayRow key={row.doc_id} row={row} />)}</ul>
      </section>
      {failed.data && failed.data.items.length > 0 && (
        <section className="card" aria-labelledby="own-failed">
          <div className="card-head"><h2 id="own-failed">Could not be read</h2></div>
          <ul className="needs">
            {failed.data.items.map((row) => (
              <li key={row.doc_id}>
                <Link href={`/documents/${row.doc_id}`}>{row.title}</Link>
                <p className="quiet">{row.error ?? "no reason was recorded"}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function UnderWayRow({ row }: { row: DocumentView }) {
  const progress = useStorePart(progressOf, (all) => all.get(row.doc_id));
  return (
    <li>
      <Link href={`/documents/${row.doc_id}`} className="truncate">{row.title}</Link>
      {progress?.stage ? <Badge tone="busy">{progress.stage}{progress.total > 0 && ` ${progress.done} of ${progress.total}`}</Badge> : <span />}
      <StatusBadge status={row.status} />
    </li>
  );
}
