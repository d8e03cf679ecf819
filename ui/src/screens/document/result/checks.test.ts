import { describe, expect, it } from "vitest";
import type { DocumentTypeDefinition, ResultCheck, ResultField } from "../../../api/types.ts";
import { byOutcome, explain, isCommon, whyReview, type Term } from "./checks.ts";

const field = (value: string | null, more: Partial<ResultField> = {}): ResultField => ({ value, confidence: 0.9, status: "needs_review", alternatives: [], checks: [], ...more });
const DEFINITION: DocumentTypeDefinition = {
  title: "Contract note",
  schema: true,
  fields: [
    ...["gross_amount", "fees", "taxes", "net_amount", "price"].map((name) => ({ name: `trades[].${name}`, kind: "money" as const })),
    { name: "trades[].quantity", kind: "quantity" },
    { name: "issue_date", kind: "date" },
    { name: "due_date", kind: "date" },
    { name: "line_total", kind: "money" },
    { name: "lines[].line_total", kind: "money" },
  ],
  constraints: [
    { rule: "sum", name: "net_of_buy", total: "trades[].net_amount", add: ["trades[].gross_amount", "trades[].fees", "trades[].taxes"], optional: ["trades[].taxes"] },
    { rule: "sum", name: "net_of_sell", total: "trades[].net_amount", add: ["trades[].gross_amount"], subtract: ["trades[].fees"] },
    { rule: "product", name: "gross_of_trade", product: "trades[].gross_amount", factors: ["trades[].quantity", "trades[].price"] },
    { rule: "date_order", name: "due_after_issue", earlier: "issue_date", later: "due_date" },
    { rule: "line_sum", name: "lines_add_up", field: "lines[].line_total", total: "line_total" },
  ],
};
const TRADE = { gross_amount: field("1000.00", { checks: ["net_of_buy"] }), fees: field("9.90", { checks: ["net_of_buy"] }), net_amount: field("1009.90"), quantity: field("10"), price: field("100.00") };
const sum = (terms: readonly Term[]) => terms.map(({ sign, label, value }) => [sign, label, value].filter(Boolean).join(" ")).join(" ");
const check = (name: string, passed: boolean | null, detail = ""): ResultCheck => ({ name, passed, detail });

describe("a check", () => {
  it("is a sum with the names and values of its fields", () => {
    const { title, terms, text, paths } = explain(check("net_of_buy", true), { trades: [TRADE] }, DEFINITION, "en");
    expect([title, sum(terms), text]).toEqual(["Net of buy", "Gross amount 1,000.00 + Fees 9.90 = Net amount 1,009.90", ""]);
    expect(paths).toEqual(["trades.0.gross_amount", "trades.0.fees"]);
  });

  it("of one of several trades uses its values", () => {
    const other = { ...TRADE, gross_amount: field("2000"), net_amount: field("1990.10") };
    const { title, terms } = explain(check("trades.1.net_of_sell", true), { trades: [TRADE, other] }, DEFINITION, "en");
    expect([title, sum(terms)]).toEqual(["Trade 2, Net of sell", "Gross amount 2,000 − Fees 9.90 = Net amount 1,990.10"]);
  });

  it("that failed says by how much", () => {
    const { terms, text } = explain(check("net_of_buy", false), { trades: [{ ...TRADE, net_amount: field("1019.90") }] }, DEFINITION, "en");
    expect([sum(terms), text]).toEqual(["Gross amount 1,000.00 + Fees 9.90 ≠ Net amount 1,019.90", "off by 10.00"]);
  });

  it("is a product or an order of dates", () => {
    expect(sum(explain(check("gross_of_trade", true), { trades: [TRADE] }, DEFINITION, "en").terms)).toBe("Quantity 10 × Price 100.00 = Gross amount 1,000.00");
    const fields = { issue_date: field("2026-03-02"), due_date: field("2026-02-01") };
    expect(sum(explain(check("due_after_issue", false), { fields }, DEFINITION, "en").terms)).toContain("is after Due date");
  });

  it("of many lines shows the first", () => {
    const lines = Array.from({ length: 20 }, () => ({ line_total: field("1.00") }));
    const { terms } = explain(check("lines_add_up", true), { fields: { line_total: field("20.00") }, lines }, DEFINITION, "en");
    expect(sum(terms)).toBe("1.00 + 1.00 + 1.00 + 1.00 + 1.00 + 15 more = Line total 20.00");
  });

  it("that was not possible names what is missing", () => {
    const text = (name: string, detail: string) => explain(check(name, null, detail), { fields: {}, lines: [{}] }, DEFINITION, "en").text;
    expect(text("due_after_issue", "missing: issue_date, due_date")).toBe("Issue date and due date are missing.");
    expect(text("net_of_buy", "missing: net_amount")).toBe("Net amount is missing.");
    expect(text("lines_add_up", "line_total or lines[].line_total is missing")).toBe("Line total is missing.");
  });

  it("without a constraint stays as the server wrote it, with its numbers in the locale", () => {
    const of = (name: string, detail: string) => explain(check(name, true, detail), {}, undefined, "en");
    expect(of("total_with_tax", "1804.17 + 9.21 = 1813.38").text).toBe("1,804.17 + 9.21 = 1,813.38");
    expect(of("e_invoice.grand_total", "1 in the electronic invoice = 1,00 on page 1").text).toBe("1 in the electronic invoice = 1,00 on page 1");
    expect(of("e_invoice.grand_total", "").title).toBe("Grand total, compared with the electronic invoice");
  });
});

it("checks are grouped by outcome", () => {
  const checks = [check("a", true), check("b", null), check("c", false)];
  expect(byOutcome(checks)).toEqual({ failed: [checks[2]], passed: [checks[0]], unchecked: [checks[1]] });
});

describe("a field that needs review", () => {
  it("says why", () => {
    const checks = [check("net_of_buy", false), check("gross_of_trade", true)];
    const why = (value: ResultField, known: { must_review?: boolean } | undefined = {}) => whyReview(value, checks, known, true);
    expect(why(field(null))).toBe("The document type requires a value.");
    expect(why(field("1", { checks: ["net_of_buy", "gross_of_trade"] }))).toBe("Failed check: Net of buy.");
    expect(why(field("1"), { must_review: true })).toContain("always");
    expect(whyReview(field("1"), checks, undefined, true)).toContain("does not describe");
    expect(why(field("1"))).toBe("The confidence is too low for the accepted error rate.");
    expect(why(field("1", { status: "accepted" }))).toBeNull();
  });

  it("says so in its row when the reason is its own", () => {
    expect([isCommon("The confidence is too low for the accepted error rate."), isCommon("The document type requires a value.")]).toEqual([true, false]);
  });
});
