/** Where the value of a field comes from, why it needs review, and what else it could be. */
import type { SyntheticEvent } from "react";
import type { FieldAlternative } from "../../../api/types.ts";
import { FIELD_SOURCES, valueInWords } from "../../../format/fields.ts";
import { probability } from "../../../format/numbers.ts";
import { useMarking, type FieldView } from "./FieldRow.tsx";
import { areaOf, type PlacedField } from "./fields.ts";

const OUTCOMES = new Map<boolean | null, string>([[true, "passed"], [false, "failed"], [null, "not possible"]]);

export function FieldDetails({ placed, view }: { placed: PlacedField; view: FieldView }) {
  const { field } = placed;
  const reason = view.whyReview(placed);
  const checks = view.checksOf(field);
  const source = [field.source && FIELD_SOURCES[field.source], field.page != null && `page ${field.page}`].filter(Boolean).join(", ");
  return (
    <dl className="facts result-details">
      {reason !== null && <><dt>Why review</dt><dd>{reason}</dd></>}
      {field.value != null && <><dt>Confidence</dt><dd>{probability(field.confidence)} likely to be correct</dd></>}
      {field.raw && <><dt>Written as</dt><dd className="result-raw">{field.raw}</dd></>}
      {source && <><dt>Source</dt><dd>{source}</dd></>}
      {checks.length > 0 && <><dt>Checks</dt><dd><ul>{checks.map(({ title, passed }) => <li key={title}>{title}: {OUTCOMES.get(passed)}</li>)}</ul></dd></>}
      {field.alternatives.length > 0 && (
        <>
          <dt>Other candidates</dt>
          <dd><ul>{field.alternatives.map((alternative, at) => <Alternative key={at} alternative={alternative} placed={placed} view={view} />)}</ul></dd>
        </>
      )}
    </dl>
  );
}

function Alternative({ alternative, placed, view }: { alternative: FieldAlternative; placed: PlacedField; view: FieldView }) {
  const area = areaOf(alternative);
  const { onFocus, onBlur, ...hover } = useMarking(view, placed.path, area);
  const text = valueInWords(alternative.value, placed.kind);
  const select = (event: SyntheticEvent) => {
    // The field around it would highlight its own place.
    event.stopPropagation();
    onFocus();
  };
  const blur = (event: SyntheticEvent) => {
    event.stopPropagation();
    onBlur();
  };
  return (
    <li {...hover}>
      {area ? <button type="button" className="field-value" title={`Show on page ${area.page}`} onFocus={select} onBlur={blur} onClick={select}>{text}</button> : <span>{text}</span>}
      {" "}<span className="quiet">{probability(alternative.confidence)} · {FIELD_SOURCES[alternative.source]}{alternative.page != null && `, page ${alternative.page}`}</span>
    </li>
  );
}
