import { describe, expect, it } from "vitest";
import type { ResultField } from "../../api/types.ts";
import { addressOfTrade, amountOf, tradesQuery } from "./trades.ts";

const field = (value: string, place: Partial<ResultField> = {}): ResultField => ({ value, confidence: 1, status: "accepted", alternatives: [], checks: [], ...place });

describe("filters", () => {
  it("are sent as they are in the address", () => {
    const query = tradesQuery(new URLSearchParams("isin= DE0007164600 &date_from=2026-01-02&match_status=unmatched&review_status=pending"));
    expect(query).toEqual({ isin: "DE0007164600", date_from: "2026-01-02", match_status: "unmatched", review_status: "pending" });
  });

  it("that the server would refuse are left out", () => {
    expect(tradesQuery(new URLSearchParams("date_to=yesterday&match_status=perhaps&isin="))).toEqual({});
  });
});

describe("the address of a trade", () => {
  it("opens its document at the ISIN", () => {
    const raw_extracted_data = { currency: field("EUR", { page: 1, box: [0, 0, 1, 1] }), isin: field("DE0007164600", { page: 2, box: [10, 20, 30, 40] }) };
    const address = new URL(addressOfTrade({ document_id: "d", position: 1, raw_extracted_data }), "http://localhost");
    expect(address.pathname).toBe("/documents/d");
    expect(Object.fromEntries(address.searchParams)).toEqual({ tab: "fields", page: "2", at: "2:10,20,30,40", field: "trades.1.isin" });
  });

  it("opens its fields when none has a place", () => {
    expect(addressOfTrade({ document_id: "d", position: 0, raw_extracted_data: { side: field("buy") } })).toBe("/documents/d?tab=fields&field=trades.0.side");
    expect(addressOfTrade({ document_id: "d", position: 0, raw_extracted_data: {} })).toBe("/documents/d?tab=fields");
  });
});

it("an amount has its currency", () => {
  const raw_extracted_data = { net_amount: field("1250.00"), currency: field("EUR"), price: field("5.1") };
  expect(amountOf({ raw_extracted_data }, "net_amount", "currency", "en")).toBe("1,250.00 EUR");
  expect(amountOf({ raw_extracted_data }, "price", "price_currency", "en")).toBe("5.1");
  expect(amountOf({ raw_extracted_data }, "fees", "currency", "en")).toBeNull();
});
