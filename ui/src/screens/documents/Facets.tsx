import type { ReactNode } from "react";
import type { DocumentFacets, FacetView } from "../../api/types.ts";
import { statusInWords } from "../../design/basics.tsx";
import { count } from "../../format/numbers.ts";
import { sourceInWords } from "../../format/sources.ts";
import { exactTime } from "../../format/time.ts";
import { isFiltered, SPANS, STATUSES, type ListState } from "./url-state.ts";

interface FacetsProps {
  /** Whether the filters are open on a window too narrow for a column of them. */
  isOpen: boolean;
  state: ListState;
  facets?: DocumentFacets;
  onChange: (change: Partial<ListState>) => void;
}

const MOST_BATCHES = 12;
const SPAN_WORDS = { today: "Today", week: "Last 7 days", month: "Last 30 days" };
/** Statuses that are listed even when no document has them. */
const USUAL: readonly string[] = ["active", "processing", "uploaded", "failed"];

export function Facets({ isOpen, state, facets, onChange }: FacetsProps) {
  const statuses = STATUSES.filter((status) => state.status === status || USUAL.includes(status) || facets?.status.values.some(({ value }) => value === status));
  return (
    <aside id="filters" className="facets" data-open={isOpen} aria-label="Filters">
      <FacetGroup name="Status">
        {statuses.map((status) => (
          <Facet key={status} isOn={state.status === status} amount={amountOf(facets?.status, status)} onToggle={(isOn) => onChange({ status: isOn ? status : null })}>
            {statusInWords(status)}
          </Facet>
        ))}
      </FacetGroup>
      <FacetGroup name="Added">
        {SPANS.map((span) => (
          <Facet key={span} isOn={state.span === span} onToggle={(isOn) => onChange({ span: isOn ? span : null })}>{SPAN_WORDS[span]}</Facet>
        ))}
      </FacetGroup>
      <Values name="Type" facet={facets?.type} chosen={state.type} onChoose={(type) => onChange({ type })} />
      <Values name="Tag" facet={facets?.tag} chosen={state.tag} onChoose={(tag) => onChange({ tag })} />
      <Values name="Source" facet={facets?.source} chosen={state.source} inWords={sourceInWords} onChoose={(source) => onChange({ source })} />
      <Batches batches={facets?.batches ?? []} chosen={state.batch} onChoose={(batch) => onChange({ batch })} />
      {isFiltered(state) && (
        <button type="button" className="button bare" onClick={() => onChange({ search: "", status: null, type: null, source: null, tag: null, batch: null, span: null })}>
          Clear filters
        </button>
      )}
    </aside>
  );
}

interface ValuesProps {
  name: string;
  facet?: FacetView;
  chosen: string | null;
  inWords?: (value: string) => string;
  onChoose: (value: string | null) => void;
}

function Values({ name, facet, chosen, inWords = (value) => value, onChoose }: ValuesProps) {
  const listed = facet?.values.map(({ value }) => value) ?? [];
  // A chosen value stays in its list when no document has it, so that it can be deselected.
  const values = chosen === null || listed.includes(chosen) ? listed : [...listed, chosen];
  if (values.length === 0) return null;
  return (
    <FacetGroup name={name} note={facet?.is_complete === false ? "the most frequent" : undefined}>
      {values.map((value) => (
        <Facet key={value} isOn={chosen === value} amount={amountOf(facet, value)} onToggle={(isOn) => onChoose(isOn ? value : null)}>{inWords(value)}</Facet>
      ))}
    </FacetGroup>
  );
}

function Batches({ batches, chosen, onChoose }: { batches: DocumentFacets["batches"]; chosen: string | null; onChoose: (batch: string | null) => void }) {
  const listed = batches.filter(({ batch_id: id }, at) => at < MOST_BATCHES || id === chosen);
  const isElsewhere = chosen !== null && !listed.some(({ batch_id: id }) => id === chosen);
  if (listed.length === 0 && !isElsewhere) return null;
  return (
    <FacetGroup name="Batch">
      {listed.map((batch) => (
        <Facet key={batch.batch_id} isOn={chosen === batch.batch_id} amount={`${count(batch.documents)}${batch.at_least ? "+" : ""}`} onToggle={(isOn) => onChoose(isOn ? batch.batch_id : null)}>
          {batch.name ?? exactTime(new Date(batch.created_at))}
        </Facet>
      ))}
      {isElsewhere && <Facet isOn onToggle={() => onChoose(null)}>An earlier batch</Facet>}
    </FacetGroup>
  );
}

/** The count of a value: “12”, “10,000+” where counting stopped, undefined where it is unknown. */
function amountOf(facet: FacetView | undefined, value: string): string | undefined {
  const found = facet?.values.find((known) => known.value === value);
  if (found) return `${count(found.documents)}${found.at_least ? "+" : ""}`;
  return facet?.is_complete ? count(0) : undefined;
}

function FacetGroup({ name, note, children }: { name: string; note?: string; children: ReactNode }) {
  return (
    <section aria-label={name}>
      <h2>{name} {note && <span className="quiet">{note}</span>}</h2>
      <ul>{children}</ul>
    </section>
  );
}

function Facet({ isOn, amount, onToggle, children }: { isOn: boolean; amount?: string; onToggle: (isOn: boolean) => void; children: ReactNode }) {
  return (
    <li>
      <button type="button" className="facet" aria-pressed={isOn} onClick={() => onToggle(!isOn)}>
        <span className="truncate">{children}</span>
        {amount !== undefined && <span className="facet-count">{amount}</span>}
      </button>
    </li>
  );
}
