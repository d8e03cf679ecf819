import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../../api/problem.ts";
import type { DocumentDetail, ResultEntry, ResultView, RoleName } from "../../../api/types.ts";
import { signedIn } from "../../../session/session.ts";
import { newFocus } from "../focus.ts";
import { ResultPanel } from "./ResultPanel.tsx";
import type { ShownResult } from "./use-result.ts";

const ALL_STAGES = ["ingest", "parse", "reconcile", "package"];
const detail = (pipeline: string[], status = "succeeded") => ({ doc_id: "d", runs: [{ status, pipeline }] }) as unknown as DocumentDetail;
const SUMMARY = { accepted: 1, confirmed: 0, corrected: 0, failed_checks: 0, fields: 2, missing: 0, needs_review: 1 };
const RESULT = {
  result_version: 1, state: "current", document_type: "receipt", type_version: 0, needs_review: true, sampled_for_review: false, summary: SUMMARY,
  fields: { total: { value: "7.50", confidence: 0.9, status: "needs_review", alternatives: [], checks: [] } }, warnings: ["The order of day and month of a date is ambiguous."],
} as unknown as ResultView;
const NOT_FOUND = new ApiError({ title: "Not found", status: 404, code: "not_found", detail: "This result does not exist, or you don’t have access." });

function drawn(role: RoleName, shown: Partial<ShownResult>, of = detail(ALL_STAGES), versions: Partial<ResultEntry>[] = []): string {
  signedIn("token", { id: "u", kind: "user", name: "a@b", role, tenant_id: "t", tenant_name: "Acme" });
  const client = new QueryClient();
  client.setQueryData(["document", "d", "results"], { items: versions, limit: 100 });
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <ResultPanel detail={of} shown={{ version: null, result: undefined, type: undefined, error: null, ...shown }} wanted={null} focus={newFocus()} page={1} onPage={() => undefined} onVersion={() => undefined} />
    </QueryClientProvider>,
  );
}

describe("without a result", () => {
  it("a document that is in progress is still processing", () => {
    expect(drawn("user", { error: NOT_FOUND }, detail(ALL_STAGES, "running"))).toContain("Still processing");
  });

  it("a document from before is rerun by an administrator", () => {
    expect(drawn("admin", { error: NOT_FOUND }, detail(["ingest"]))).toContain("Rerun…");
    expect(drawn("viewer", { error: NOT_FOUND }, detail(["ingest"]))).toContain("An administrator can rerun");
  });

  it("a version that does not exist is said so", () => {
    expect(drawn("viewer", { error: NOT_FOUND, version: 9 })).toContain("No version 9");
  });

  it("a refusal is in the server’s words", () => {
    const refused = new ApiError({ ...NOT_FOUND.problem, status: 403, detail: "Only administrators can read results from before a mask." });
    expect(drawn("viewer", { error: refused })).toContain("from before a mask");
  });
});

describe("a result", () => {
  it("has its type, fields and warnings", () => {
    const page = drawn("viewer", { result: RESULT });
    for (const text of ["Receipt", "Total", "1 field needs review", "ambiguous"]) expect(page).toContain(text);
  });

  it("without a type says what to do", () => {
    const untyped = { ...RESULT, document_type: "", fields: {} };
    expect(drawn("admin", { result: untyped })).toContain("Extract again");
    expect(drawn("viewer", { result: untyped })).toContain("An administrator can choose the type");
  });

  it("of a later run is promoted by administrators only", () => {
    const created_at = "2026-03-02T10:00:00Z";
    const versions: Partial<ResultEntry>[] = [
      { result_version: 2, state: "waiting", document_type: "receipt", summary: SUMMARY, created_at },
      { result_version: 1, state: "current", document_type: "receipt", summary: SUMMARY, created_at, is_reviewed: true },
    ];
    const page = drawn("admin", { result: RESULT }, detail(ALL_STAGES), versions);
    for (const text of ["Waits for promotion", "Reviewed", "Compare versions"]) expect(page).toContain(text);
    expect(page.match(/>Promote</g)).toHaveLength(1);
    expect(drawn("reviewer", { result: RESULT }, detail(ALL_STAGES), versions)).not.toContain(">Promote<");
  });
});
