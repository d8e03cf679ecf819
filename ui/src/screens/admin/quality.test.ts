import { describe, expect, it } from "vitest";
import { errorNote, MOST_ERROR, percentText, rateInWords, shareOf, startOf, thresholdInWords, tooFew, withTypeRate } from "./quality.ts";

const measured = { reviewed: 200, wrong: 3, rate: 0.015, low: 0.003, high: 0.043 };
const nothing = { reviewed: 0, wrong: 0, rate: null, low: null, high: null };

describe("a measured error", () => {
  it("has its interval", () => {
    expect(errorNote(measured, "en")).toBe("95% interval 0.3% to 4.3%, 3 of 200 wrong");
    expect(rateInWords(measured, "en")).toBe("1.5% (0.3%–4.3%)");
    expect(tooFew(measured)).toBeNull();
  });

  it("is not given without reviewed fields", () => {
    expect(errorNote(nothing)).toBe("No accepted field was reviewed yet");
    expect(rateInWords(nothing)).toBe("not measured");
    expect(tooFew(nothing)).toBeNull();
    expect(tooFew({ ...measured, reviewed: 1 })).toMatch(/^Only 1 accepted field was reviewed/);
  });
});

it("the threshold says what it is based on, or why there is none", () => {
  const type = { threshold: 0.93, error_bound: 0.019, shortfall: null, basis: "shipped", accepted: 0 };
  expect(thresholdInWords(type, "en")).toContain("from a confidence of 93% on, of which at most 1.9%");
  expect(thresholdInWords({ ...type, threshold: null, shortfall: "No field is accepted: too few." })).toBe("No field is accepted: too few.");
  expect(thresholdInWords({ ...type, threshold: null, shortfall: "No field is accepted: too few.", accepted: 4 })).toContain("electronic invoices");
});

describe("a rate that a user enters", () => {
  it("is in percent", () => {
    expect(shareOf("2")).toBe(0.02);
    expect(shareOf(" 2,3 % ")).toBe(0.023);
    expect(shareOf("0")).toBe(0);
    expect(percentText(0.023)).toBe("2.3");
  });

  it("is refused when it is no share", () => {
    for (const text of ["", "a", "-1", "101", "1e3"]) expect(shareOf(text)).toBeNull();
    expect(shareOf("51", MOST_ERROR)).toBeNull();
    expect(shareOf("50", MOST_ERROR)).toBe(0.5);
  });

  it("changes one type only, and can be taken back", () => {
    const before = { accepted_error_rate: 0.02, types: { invoice: { accepted_error_rate: 0.01 } } };
    expect(withTypeRate(before, "receipt", 0.05)).toEqual({ accepted_error_rate: 0.02, types: { invoice: { accepted_error_rate: 0.01 }, receipt: { accepted_error_rate: 0.05 } } });
    expect(withTypeRate(before, "invoice", null)).toEqual({ accepted_error_rate: 0.02, types: {} });
    expect(before.types.invoice.accepted_error_rate).toBe(0.01);
  });
});

it("the shown time begins at a midnight", () => {
  const from = new Date(startOf("30", new Date(2026, 2, 31, 15, 20)));
  expect([from.getMonth(), from.getDate(), from.getHours()]).toEqual([2, 1, 0]);
});
