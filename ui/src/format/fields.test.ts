import { describe, expect, it } from "vitest";
import { decimal, nameInWords, pathInWords, valueInWords } from "./fields.ts";
import { finePercent } from "./numbers.ts";

describe("names of fields", () => {
  it("are words, with abbreviations in capitals", () => {
    expect(nameInWords("vat_id")).toBe("VAT ID");
    expect(nameInWords("net_of_buy")).toBe("Net of buy");
    expect(pathInWords("seller.vat_id")).toBe("Seller VAT ID");
  });

  it("of trades and lines are counted from one", () => {
    expect(pathInWords("trades.0.isin")).toBe("Trade 1, ISIN");
    expect(pathInWords("lines.11.unit_price")).toBe("Line 12, Unit price");
    expect(pathInWords("lines[].quantity")).toBe("Line, Quantity");
  });
});

describe("values", () => {
  it("keep every digit of an amount", () => {
    expect(decimal("1234567.50", "en")).toBe("1,234,567.50");
    expect(decimal("-0.10", "en")).toBe("-0.10");
    expect(decimal("12345678901234567890.123456789", "de")).toBe("12.345.678.901.234.567.890,123456789");
  });

  it("are written by their kind", () => {
    expect(valueInWords("804.17", "money", "de")).toBe("804,17");
    expect(valueInWords("2026-03-02", "date", "en")).toBe("Mar 2, 2026");
    expect(valueInWords("19", "percent", "en")).toBe("19 %");
    expect(valueInWords("buy", "choice", "en")).toBe("Buy");
  });

  it("that look like a number stay as they are when they are none", () => {
    expect(valueInWords("20260312", "id", "en")).toBe("20260312");
    expect(valueInWords("1000", undefined, "en")).toBe("1000");
    expect(valueInWords("unreadable", "money", "en")).toBe("unreadable");
    expect(valueInWords("2026-13-45", "date", "en")).toBe("2026-13-45");
  });
});

it("rates of a few percent have a digit after the point", () => {
  expect(finePercent(0.0234, "en")).toBe("2.3%");
  expect(finePercent(0.02, "en")).toBe("2%");
});
