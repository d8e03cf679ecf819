import type { Mask } from "../../api/types.ts";
import { Field, IconButton } from "../../design/basics.tsx";
import { areaOf, faultOf, kindsToChoose, placeInWords } from "./masks.ts";

const SIDES = ["Left", "Top", "Right", "Bottom"] as const;

interface MaskListProps {
  masks: readonly Mask[];
  chosen: number | null;
  onChoose: (mask: number) => void;
  onRemove: (mask: number) => void;
}

export function MaskList({ masks, chosen, onChoose, onRemove }: MaskListProps) {
  if (masks.length === 0) return <p className="masks-none">Nothing is masked.</p>;
  return (
    <ol className="mask-list">
      {masks.map((mask, at) => (
        <li key={at} data-chosen={at === chosen}>
          <button type="button" aria-pressed={at === chosen} onClick={() => onChoose(at)}>{at + 1}. {placeInWords(mask)}</button>
          <IconButton icon="trash" label={`Remove region ${at + 1}`} onClick={() => onRemove(at)} />
        </li>
      ))}
    </ol>
  );
}

/** The same as drawing, by numbers; and which pages of which files the mask is for. */
export function MaskFields({ mask, onChange }: { mask: Mask; onChange: (how: Partial<Mask>) => void }) {
  const area = areaOf(mask);
  const kinds = mask.kinds ?? [];
  const choices = kindsToChoose(mask);
  const fault = faultOf(mask);
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
      {fault !== null && <p className="run-problem" role="alert">{fault}</p>}
      <Field label="Only files with this in their name">
        <input className="input" maxLength={255} placeholder="any name" value={mask.file_name_contains ?? ""} onChange={(event) => onChange({ file_name_contains: event.target.value })} />
      </Field>
      <div className="field" role="group" aria-label="Only files of these kinds">
        <span>Only files of these kinds (none chosen: all)</span>
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
