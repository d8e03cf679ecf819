/** What failed and needs attention, and what is in progress. */
import "./attention.css";
import { TabLinks } from "../../design/basics.tsx";
import { FailedDocuments } from "./FailedDocuments.tsx";
import { Jobs } from "./Jobs.tsx";
import { StalledRuns } from "./StalledRuns.tsx";

const TABS = [
  { tab: "failed", name: "Failed documents" },
  { tab: "stalled", name: "Stalled runs" },
  { tab: "jobs", name: "All jobs" },
] as const;

export default function Attention({ tab: given }: { tab?: string }) {
  const tab = TABS.find((known) => known.tab === given)?.tab ?? "failed";
  return (
    <div className="screen">
      <div className="screen-head"><h1>Needs attention</h1></div>
      <TabLinks label="Needs attention" current={`/attention/${tab}`} links={TABS.map((entry) => ({ to: `/attention/${entry.tab}`, name: entry.name }))} />
      {tab === "failed" && <FailedDocuments />}
      {tab === "stalled" && <StalledRuns />}
      {tab === "jobs" && <Jobs />}
    </div>
  );
}
