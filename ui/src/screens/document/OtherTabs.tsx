import { useQuery } from "@tanstack/react-query";
import { readText } from "../../api/endpoints.ts";
import type { PageView } from "../../api/types.ts";
import { Button, Empty, ProblemNote, SkeletonRows } from "../../design/basics.tsx";
import { showNotice } from "../../live/notices.ts";
import type { Focus } from "./focus.ts";
import { TableOfWords } from "./PageText.tsx";

export function MarkdownText({ id }: { id: string }) {
  const text = useQuery({ queryKey: ["document", id, "markdown"], queryFn: () => readText(id, "markdown") });
  if (text.error) return <ProblemNote error={text.error} />;
  if (text.data === undefined) return <SkeletonRows rows={10} />;
  const copy = () => navigator.clipboard.writeText(text.data).then(() => showNotice({ tone: "good", text: "Markdown copied." }));
  return (
    <div className="markdown">
      <Button icon="copy" kind="bare" onClick={() => void copy()}>Copy</Button>
      <pre>{text.data}</pre>
    </div>
  );
}

export function Tables({ page }: { page: PageView }) {
  if (page.tables.length === 0) return <Empty icon="documents" title="No tables on this page"><p>This tab shows one page at a time.</p></Empty>;
  return page.tables.map((table, at) => (
    <section key={at} className="one-table">
      <h2>Table {at + 1} <span className="quiet">{table.rows} × {table.columns}</span></h2>
      <TableOfWords page={page} table={table} />
    </section>
  ));
}

/** Labels with values that stand on the page, whether or not they are fields of the document type. */
export function Pairs({ page, focus }: { page: PageView; focus: Focus }) {
  if (page.key_values.length === 0) return null;
  return (
    <details className="compare">
      <summary>Labels and values of page {page.number}</summary>
      <table className="table fields">
        <thead><tr><th>Label</th><th>Value</th></tr></thead>
        <tbody>
          {page.key_values.map((pair, at) => (
            <tr key={at} onPointerEnter={() => focus.chosen.set(pair.value_words)} onPointerLeave={() => focus.chosen.set(null)}>
              <td>{pair.key}</td>
              <td><button type="button" className="field-value" onFocus={() => focus.chosen.set(pair.value_words)}>{pair.value}</button></td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
