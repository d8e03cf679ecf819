/** Trades or line items as a table. A click on a cell shows its place on the page and its details. */
import { Fragment } from "react";
import type { ResultFields } from "../../../api/types.ts";
import { areaOf, isNumber, isUpright, tableOf, type GroupTable as Table, type KnownFields, type PlacedField } from "./fields.ts";
import { FieldDetails } from "./FieldDetails.tsx";
import { FieldRow, FieldValue, StatusMark, useMarked, useMarking, type FieldView } from "./FieldRow.tsx";

interface GroupTableProps {
  group: "trades" | "lines";
  items: readonly ResultFields[];
  known: KnownFields;
  view: FieldView;
}

const TITLES = { trades: "Trades", lines: "Line items" };
const NAMES = { trades: "Trade", lines: "Line" };

export function GroupTable({ group, items, known, view }: GroupTableProps) {
  if (items.length === 0) return null;
  const table = tableOf(group, items, known);
  const [only] = table.rows;
  const isList = group === "trades" && items.length === 1;
  const title = isList ? NAMES[group] : TITLES[group];
  return (
    <section className="result-section" aria-label={title}>
      <h2>{title}{!isList && <span className="quiet"> {items.length}</span>}</h2>
      {isList && only ? <ul className="result-fields">{only.map((placed) => placed && <FieldRow key={placed.path} placed={placed} view={view} />)}</ul> : (
        <div className="table-wrap" tabIndex={0} role="group" aria-label={`Table of ${TITLES[group].toLowerCase()}`}>
          {isUpright(table) ? <UprightTable table={table} name={NAMES[group]} view={view} /> : <FlatTable table={table} name={NAMES[group]} view={view} />}
        </div>
      )}
    </section>
  );
}

interface Shape {
  table: Table;
  name: string;
  view: FieldView;
}

/** A row for each item. */
function FlatTable({ table: { columns, rows }, name, view }: Shape) {
  return (
    <table className="table result-table">
      <thead><tr><th className="number"><span className="visually-hidden">{name}</span>#</th>{columns.map((column) => <th key={column.name} className={isNumber(column.kind) ? "number" : undefined}>{column.label}</th>)}</tr></thead>
      <tbody>
        {rows.map((row, index) => (
          <Fragment key={index}>
            <tr><th scope="row" className="number">{index + 1}</th>{row.map((placed, at) => <td key={at} className={isNumber(columns[at]?.kind) ? "number" : undefined}>{placed && <Cell placed={placed} view={view} />}</td>)}</tr>
            <OpenedRow cells={row} width={columns.length + 1} view={view} />
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

/** A column for each item. */
function UprightTable({ table: { columns, rows }, name, view }: Shape) {
  return (
    <table className="table result-table">
      <thead><tr><th>Field</th>{rows.map((_, index) => <th key={index}>{name} {index + 1}</th>)}</tr></thead>
      <tbody>
        {columns.map((column, at) => (
          <Fragment key={column.name}>
            <tr><th scope="row">{column.label}</th>{rows.map((row, index) => <td key={index}>{row[at] && <Cell placed={row[at]} view={view} />}</td>)}</tr>
            <OpenedRow cells={rows.map((row) => row[at] ?? null)} width={rows.length + 1} view={view} />
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

/** The details of the open cell, below its row. */
function OpenedRow({ cells, width, view }: { cells: readonly (PlacedField | null)[]; width: number; view: FieldView }) {
  const opened = cells.find((cell) => cell?.path === view.open);
  return opened && <tr className="result-opened"><td colSpan={width}><FieldDetails placed={opened} view={view} /></td></tr>;
}

function Cell({ placed, view }: { placed: PlacedField; view: FieldView }) {
  const marked = useMarked<HTMLSpanElement>(view.focus, placed.path);
  return (
    <span className="result-cell" {...marked} {...useMarking(view, placed.path, areaOf(placed.field))}>
      <FieldValue placed={placed} view={view} />
      <StatusMark field={placed.field} />
    </span>
  );
}
