/** What failed and needs attention, and what is under way. */
import "./repair.css";
import { Link } from "wouter";
import { DeadLetters } from "./DeadLetters.tsx";
import { Jobs } from "./Jobs.tsx";
import { StaleRuns } from "./StaleRuns.tsx";

const TABS = [
  { tab: "dead", name: "Needs attention" },
  { tab: "stale", name: "Stale runs" },
  { tab: "jobs", name: "All jobs" },
] as const;

export default function Repair({ tab: given }: { tab?: string }) {
  const tab = TABS.find((known) => known.tab === given)?.tab ?? "dead";
  return (
    <div className="screen">
      <div className="screen-head"><h1>Repair</h1></div>
      <nav className="tabs" aria-label="Repair">
        {TABS.map((entry) => <Link key={entry.tab} href={`/repair/${entry.tab}`} aria-current={entry.tab === tab ? "page" : undefined}>{entry.name}</Link>)}
      </nav>
      {tab === "dead" && <DeadLetters />}
      {tab === "stale" && <StaleRuns />}
      {tab === "jobs" && <Jobs />}
    </div>
  );
}
