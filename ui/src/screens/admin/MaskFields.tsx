import type { Mask } from "../../api/types.ts";
import { Field, IconButton } from "../../design/basics.tsx";
import { areaOf, maskProblem, kindsToChoose, maskLabel } from "./masks.ts";

const SIDES = ["Left", "Top", "Right", "Bottom"] as const;

interface MaskListProps {
  masks: readonly Mask[];
  chosen: number | null;
  onChoose: (mask: number) => void;
  onRemove: (mask: number) => void;
}

export function MaskList({ masks, chosen, onChoose, onRemove }: MaskListProps) {
  if (masks.length === 0) return <p className="masks-none">No masked regions.</p>;
  return (
    <ol className="mask-list">
      {masks.map((mask, at) => (
        <li key={at} data-chosen={at === chosen}>
          <button type="button" aria-pressed={at === chosen} onClick={() => onChoose(at)}>{at + 1}. {maskLabel(mask)}</button>
          <IconButton icon="trash" label={`Remove region ${at + 1}`} onClick={() => onRemove(at)} />
        </li>
      ))}
    </ol>
  );
}

/** The sides of a mask as numbers, and the pages and files that it applies to. */
export function MaskFields({ mask, onChange }: { mask: Mask; onChange: (how: Partial<Mask>) => void }) {
  const area = areaOf(mask);
  const kinds = mask.kinds ?? [];
  const choices = kindsToChoose(mask);
  const problem = maskProblem(mask);
  return (
    <div className="mask-fields">
      <div className="mask-sides">
        {SIDES.map((side, at) => (
          <Field key={side} label={`${side} %`}>
            <input className="input" type="number" min={0} max={100} step={0.5} value={Math.round((area[at] ?? 0) * 1000) / 10} onChange={(event) => onChange({ box: area.map((share, place) => (place === at ? event.target.valueAsNumber / 100 || 0 : share)) })} />
          </Field>
        ))}
        <Field label="Page">
          <input className="input" type="number" min={1} placeholder="every" value={mask.page ?? ""} onChange={(event) => onChange({ page: event.target.value === "" ? null : event.target.valueAsNumber })} />
        </Field>
      </div>
      {problem !== null && <p className="run-problem" role="alert">{problem}</p>}
      <Field label="Only files whose name contains">
        <input className="input" maxLength={255} placeholder="any name" value={mask.file_name_contains ?? ""} onChange={(event) => onChange({ file_name_contains: event.target.value })} />
      </Field>
      <div className="field" role="group" aria-label="Only these file types">
        <span>Only these file types (none selected: all)</span>
        <div className="kinds">
          {choices.map((kind) => (
            <label key={kind} className="choice">
              <input type="checkbox" className="check" checked={kinds.includes(kind)} onChange={(event) => onChange({ kinds: choices.filter((other) => (other === kind ? event.target.checked : kinds.includes(other))) })} /> {kind}
            </label>
          ))}
        </div>
      </div>
    </div>
  );
}
