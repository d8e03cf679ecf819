/** Trades or line items as a table. A click on a cell shows its place on the page and more of the field. */
import { useState } from "react";
import type { ResultFields } from "../../../api/types.ts";
import { Badge } from "../../../design/basics.tsx";
import { FIELD_STATUSES } from "../../../format/fields.ts";
import { finePercent } from "../../../format/numbers.ts";
import { areaOf, isUpright, tableOf, type GroupTable as Table, type KnownFields, type PlacedField } from "./fields.ts";
import { FieldRow, FieldValue, marking, useIsMarked, type FieldView } from "./FieldRow.tsx";

interface GroupTableProps {
  group: "trades" | "lines";
  items: readonly ResultFields[];
  known: KnownFields;
  view: FieldView;
}

const TITLES = { trades: "Trades", lines: "Line items" };
const NAMES = { trades: "Trade", lines: "Line" };

export function GroupTable({ group, items, known, view }: GroupTableProps) {
  const [open, setOpen] = useState<string | null>(null);
  if (items.length === 0) return null;
  const table = tableOf(group, items, known);
  const opened = table.rows.flat().find((cell) => cell?.path === open);
  const cell = (placed: PlacedField | null) => placed && <Cell placed={placed} view={view} onOpen={() => setOpen(placed.path)} />;
  return (
    <section className="result-section" aria-label={TITLES[group]}>
      <h2>{TITLES[group]}</h2>
      <div className="table-wrap" tabIndex={0} role="group" aria-label={`Table of ${TITLES[group].toLowerCase()}`}>
        {isUpright(table) ? <UprightTable table={table} name={NAMES[group]} cell={cell} /> : <FlatTable table={table} name={NAMES[group]} cell={cell} />}
      </div>
      {opened && <ul className="result-fields result-opened" aria-label="Selected cell"><FieldRow placed={opened} view={view} /></ul>}
    </section>
  );
}

interface Shape {
  table: Table;
  name: string;
  cell: (placed: PlacedField | null) => React.ReactNode;
}

/** A row for each item. */
function FlatTable({ table: { columns, rows }, name, cell }: Shape) {
  return (
    <table className="table result-table">
      <thead><tr><th>{name}</th>{columns.map((column) => <th key={column.name}>{column.label}</th>)}</tr></thead>
      <tbody>{rows.map((row, index) => <tr key={index}><th scope="row">{index + 1}</th>{row.map((placed, at) => <td key={at}>{cell(placed)}</td>)}</tr>)}</tbody>
    </table>
  );
}

/** A column for each item. */
function UprightTable({ table: { columns, rows }, name, cell }: Shape) {
  return (
    <table className="table result-table">
      <thead><tr><th>Field</th>{rows.map((_, index) => <th key={index}>{name} {index + 1}</th>)}</tr></thead>
      <tbody>{columns.map((column, at) => <tr key={column.name}><th scope="row">{column.label}</th>{rows.map((row, index) => <td key={index}>{cell(row[at] ?? null)}</td>)}</tr>)}</tbody>
    </table>
  );
}

function Cell({ placed, view, onOpen }: { placed: PlacedField; view: FieldView; onOpen: () => void }) {
  const { field, path } = placed;
  const isMarked = useIsMarked(view.focus, path);
  const [tone, label] = FIELD_STATUSES[field.status];
  const confidence = `Confidence ${finePercent(field.confidence)}`;
  return (
    <span className="result-cell" data-marked={isMarked} {...marking(view.focus, path, areaOf(field))}>
      <FieldValue placed={placed} view={view} onOpen={onOpen} />
      {field.status === "accepted" ? <span className="visually-hidden">{label}. {confidence}</span> : <Badge tone={tone} title={field.value == null ? undefined : confidence}>{label}</Badge>}
    </span>
  );
}
