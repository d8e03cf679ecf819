import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import { listJobs } from "../../api/endpoints.ts";
import { Badge, Button, Empty, ProblemNote, Segmented, SkeletonRows, StatusBadge, Time } from "../../design/basics.tsx";
import { closedLabel } from "../../format/failures.ts";
import { waitingFor } from "../../format/waiting.ts";
import { DocumentName } from "./FailedDocuments.tsx";

const ROWS = 50;
const STATUSES = [
  { value: "", label: "All" },
  { value: "PENDING", label: "Queued" },
  { value: "PROCESSING", label: "Processing" },
  { value: "COMPLETED", label: "Succeeded" },
  { value: "DEAD", label: "Failed" },
] as const;

export function Jobs() {
  const [params, setParams] = useSearchParams();
  const status = STATUSES.find((known) => known.value === params.get("status"))?.value ?? "";
  const jobs = useInfiniteQuery({
    queryKey: ["jobs", status],
    queryFn: ({ pageParam }) => listJobs({ limit: ROWS, cursor: pageParam, ...(status ? { status: status } : {}) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const rows = jobs.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section className="card" aria-label="Jobs">
      <div className="card-head">
        <h2>Jobs</h2>
        <Segmented label="Status" value={status} choices={STATUSES} onChange={(value) => setParams(value ? { status: value } : {}, { replace: true })} />
      </div>
      {jobs.error && <div className="card-body"><ProblemNote error={jobs.error} /></div>}
      {jobs.isPending && <SkeletonRows rows={8} />}
      {jobs.data && rows.length === 0 && <Empty icon="documents" title="No jobs with this status" />}
      {rows.length > 0 && (
        <div className="table-wrap">
          <table className="table cards">
            <thead><tr><th>Document</th><th>Stage</th><th>Status</th><th className="number">Retries</th><th>Changed</th><th>Worker</th></tr></thead>
            <tbody>
              {rows.map((job) => (
                <tr key={job.job_id}>
                  <td className="cell-name"><DocumentName id={job.doc_id} title={job.doc_title} /></td>
                  <td data-label="Stage">{job.stage}</td>
                  <td data-label="Status"><StatusBadge status={job.status} />{job.waiting_for && <> <Badge tone="warn">{waitingFor(job.waiting_for)}</Badge></>}{job.error && <p className="cell-why quiet">{job.error}</p>}{job.closed_by && <p className="quiet">{closedLabel(job.closed_by)}</p>}</td>
                  <td className="number cell-short" data-label="Retries">{job.attempts} of {job.max_attempts}</td>
                  <td className="cell-when" data-label="Changed"><Time at={job.updated_at} /></td>
                  <td className="quiet cell-short" data-label="Worker">{job.worker_id ?? "–"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {jobs.hasNextPage && <div className="card-body"><Button disabled={jobs.isFetchingNextPage} onClick={() => void jobs.fetchNextPage()}>Load more</Button></div>}
    </section>
  );
}
