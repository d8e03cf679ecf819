import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { countDocuments, listBatches } from "../../api/endpoints.ts";
import type { DocumentView } from "../../api/types.ts";
import { statusInWords } from "../../design/basics.tsx";
import { count } from "../../format/numbers.ts";
import { exactTime } from "../../format/time.ts";
import { countBy, isFiltered, SPANS, STATUSES, type ListState } from "./url-state.ts";

interface FacetsProps {
  state: ListState;
  rows: readonly DocumentView[];
  onChange: (change: Partial<ListState>) => void;
}

const MOST_TAGS = 12;
const SPAN_WORDS = { today: "Today", week: "Last 7 days", month: "Last 30 days" };

export function Facets({ state, rows, onChange }: FacetsProps) {
  const { data: summary } = useQuery({ queryKey: ["summary"], queryFn: countDocuments });
  const { data: batches } = useQuery({ queryKey: ["batches"], queryFn: listBatches });
  const types = withChosen(countBy(rows, (row) => [row.source_type]), state.type);
  const sources = countBy(rows, (row) => [row.source]).filter(([source]) => source !== "");
  const tags = withChosen(countBy(rows, (row) => row.tags).slice(0, MOST_TAGS), state.tag);
  return (
    <aside className="facets" aria-label="Filters">
      <FacetGroup name="Status">
        {STATUSES.filter((status) => state.status === status || ["active", "processing", "uploaded", "failed"].includes(status) || (summary?.[status] ?? 0) > 0).map((status) => (
          <Facet key={status} isOn={state.status === status} amount={summary?.[status]} onToggle={(isOn) => onChange({ status: isOn ? status : null })}>
            {statusInWords(status)}
          </Facet>
        ))}
      </FacetGroup>
      <FacetGroup name="Added">
        {SPANS.map((span) => (
          <Facet key={span} isOn={state.span === span} onToggle={(isOn) => onChange({ span: isOn ? span : null })}>{SPAN_WORDS[span]}</Facet>
        ))}
      </FacetGroup>
      {types.length > 0 && <FacetGroup name="Type" note="of those in the list">
        {types.map(([type, amount]) => (
          <Facet key={type} isOn={state.type === type} amount={amount} onToggle={(isOn) => onChange({ type: isOn ? type : null })}>{type || "unknown"}</Facet>
        ))}
      </FacetGroup>}
      {tags.length > 0 && <FacetGroup name="Tag" note="of those in the list">
        {tags.map(([tag, amount]) => (
          <Facet key={tag} isOn={state.tag === tag} amount={amount} onToggle={(isOn) => onChange({ tag: isOn ? tag : null })}>{tag}</Facet>
        ))}
      </FacetGroup>}
      {(sources.length > 1 || state.source !== null) && (
        <FacetGroup name="Source" note="of those in the list">
          {withChosen(sources, state.source).map(([source, amount]) => (
            <Facet key={source} isOn={state.source === source} amount={amount} onToggle={(isOn) => onChange({ source: isOn ? source : null })}>{source}</Facet>
          ))}
        </FacetGroup>
      )}
      {batches && batches.items.length > 0 && (
        <FacetGroup name="Batch">
          {batches.items.slice(0, 12).map((batch) => (
            <Facet key={batch.batch_id} isOn={state.batch === batch.batch_id} amount={batch.counts.documents} onToggle={(isOn) => onChange({ batch: isOn ? batch.batch_id : null })}>
              {batch.name ?? exactTime(new Date(batch.created_at))}
            </Facet>
          ))}
        </FacetGroup>
      )}
      {isFiltered(state) && (
        <button type="button" className="button bare" onClick={() => onChange({ search: "", status: null, type: null, source: null, tag: null, batch: null, span: null })}>
          Clear filters
        </button>
      )}
    </aside>
  );
}

/** A chosen value stays in its list when no loaded row has it: it has to be possible to let go of it. */
function withChosen(counts: (readonly [string, number])[], chosen: string | null): (readonly [string, number])[] {
  return chosen === null || counts.some(([value]) => value === chosen) ? counts : [...counts, [chosen, 0]];
}

function FacetGroup({ name, note, children }: { name: string; note?: string; children: ReactNode }) {
  return (
    <section aria-label={name}>
      <h2>{name} {note && <span className="quiet">{note}</span>}</h2>
      <ul>{children}</ul>
    </section>
  );
}

function Facet({ isOn, amount, onToggle, children }: { isOn: boolean; amount?: number; onToggle: (isOn: boolean) => void; children: ReactNode }) {
  return (
    <li>
      <button type="button" className="facet" aria-pressed={isOn} onClick={() => onToggle(!isOn)}>
        <span className="truncate">{children}</span>
        {amount !== undefined && <span className="facet-count">{count(amount)}</span>}
      </button>
    </li>
  );
}
