import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Router } from "wouter";
import type { JobView } from "../../api/types.ts";
import { groupByCause } from "./causes.ts";
import { Cause } from "./FailedDocuments.tsx";

const job = (name: string, error_code: string | null): JobView =>
  ({ job_id: name, doc_id: name, doc_title: name, stage: "preprocess", error: "the file is encrypted", error_class: "permanent", error_code, attempts: 0, updated_at: "2026-01-01T00:00:00Z" }) as JobView;

const nothing = () => undefined;
const ACTIONS = { onRetryAll: nothing, onRetry: nothing, onDiscard: nothing, onPassword: nothing };

function drawn(jobs: JobView[], actions: typeof ACTIONS | null): string {
  const [group] = groupByCause(jobs);
  if (!group) throw new Error("there is a group");
  return renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <Router ssrPath="/attention"><Cause group={group} isBusy={false} actions={actions} /></Router>
    </QueryClientProvider>,
  );
}

describe("a group of failures", () => {
  it("asks for the password of encrypted files, and does not offer to retry them without one", () => {
    const page = drawn([job("a.pdf", "password_required"), job("b.pdf", "password_required")], ACTIONS);
    expect(page.match(/Enter password/g)).toHaveLength(2);
    expect(page).not.toContain("Retry");
    expect(page).toContain("Discard all 2");
  });

  it("offers to retry or discard the others", () => {
    const page = drawn([job("a.pdf", null), job("b.pdf", null)], ACTIONS);
    expect(page).not.toContain("Enter password");
    expect(page).toContain("Retry all 2");
    expect(page.match(/>Discard</g)).toHaveLength(2);
  });

  it("has no buttons for a role that may only look", () => {
    expect(drawn([job("a.pdf", "password_required")], null)).not.toContain("<button");
  });
});
