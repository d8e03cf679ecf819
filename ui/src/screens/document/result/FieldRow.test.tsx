import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { ResultField } from "../../../api/types.ts";
import { valueInWords } from "../../../format/fields.ts";
import { probability } from "../../../format/numbers.ts";
import { newFocus } from "../focus.ts";
import { Checks } from "./Checks.tsx";
import { FieldRow } from "./FieldRow.tsx";
import { GroupTable } from "./GroupTable.tsx";

const view = { focus: newFocus(), page: 1, onPage: () => undefined, open: null, onOpen: () => undefined, whyReview: () => "It is too uncertain.", checksOf: () => [{ title: "Total with tax", passed: false }] };
const FOUND: ResultField = {
  value: "1234.50", raw: "1.234,50 EUR", confidence: 0.973, status: "needs_review", page: 2, box: [1, 2, 3, 4], source: "page", checks: ["total_with_tax"],
  alternatives: [{ value: "1200", raw: "1.200,00", confidence: 0.02, page: 1, box: [5, 6, 7, 8], source: "ocr_alternative" }],
};
const MISSING: ResultField = { value: null, confidence: 0, status: "missing", alternatives: [], checks: [] };

describe("a field", () => {
  const row = (open: string | null) => renderToStaticMarkup(<FieldRow placed={{ path: "grand_total", label: "Grand total", kind: "money", field: FOUND }} view={{ ...view, open }} />);

  it("shows its value, status, confidence and why it needs review", () => {
    for (const text of ["Grand total", valueInWords("1234.50", "money"), "Needs review", probability(0.973), "It is too uncertain.", 'data-path="grand_total"']) expect(row(null)).toContain(text);
    expect(row(null)).not.toContain("Text of the page");
  });

  it("that is open shows what is written, its source, checks and other candidates", () => {
    for (const text of ["1.234,50 EUR", "Text of the page, page 2", "Total with tax: failed", valueInWords("1200", "money"), "Second OCR reading, page 1"]) expect(row("grand_total")).toContain(text);
  });

  it("that is missing has no confidence and nothing to open", () => {
    const row = renderToStaticMarkup(<FieldRow placed={{ path: "due_date", label: "Due date", kind: "date", field: MISSING }} view={view} />);
    expect(row).toContain("Not found");
    expect(row).toContain("Missing");
    expect(row).not.toContain("<button");
    expect(row).not.toContain("%");
  });

  it("is highlighted while its box is under the pointer", () => {
    const focus = newFocus();
    focus.field.set({ paths: ["grand_total"], area: null, from: "page" });
    const row = (path: string) => renderToStaticMarkup(<FieldRow placed={{ path, label: "A", kind: undefined, field: FOUND }} view={{ ...view, focus }} />);
    expect(row("grand_total")).toContain('data-marked="true"');
    expect(row("tax_total")).toContain('data-marked="false"');
  });
});

it("a table of lines says the status of each cell in words", () => {
  const lines = [{ name: { ...FOUND, value: "Screws", status: "accepted" as const }, line_total: FOUND }];
  const table = renderToStaticMarkup(<GroupTable group="lines" items={lines} known={new Map()} view={view} />);
  for (const text of ["Line items", "Screws", "Accepted", "Needs review", 'data-path="lines.0.line_total"']) expect(table).toContain(text);
});

it("checks are sums that passed, failed or could not be made", () => {
  const checks = renderToStaticMarkup(<Checks definition={undefined} focus={view.focus} result={{ checks: [
    { name: "total_with_tax", passed: true, detail: "804.17 + 9.21 = 813.38" },
    { name: "lines_add_up", passed: false, detail: "1 + 1 = 2, not 3" },
    { name: "due_after_issue", passed: null, detail: "the due date is missing" },
  ] }} />);
  for (const text of ["Total with tax", "804.17 + 9.21 = 813.38", "Passed", "Failed", "Not checked"]) expect(checks).toContain(text);
});
