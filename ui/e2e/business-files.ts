/** An invoice and contract notes, generated here. */
import { placedPdf, type MadeFile, type Placed } from "./files.ts";

const LEFT = 60;
const VALUES = 200;

/** Rows of a label and its value, from `top` on. */
function labelled(top: number, rows: readonly (readonly [string, string])[]): Placed[] {
  return rows.flatMap(([label, value], at): Placed[] => [[LEFT, top + at * 18, label], [VALUES, top + at * 18, value]]);
}

function lines(left: number, top: number, texts: readonly string[]): Placed[] {
  return texts.map((text, at): Placed => [left, top + at * 14, text]);
}

const COLUMNS = [60, 300, 390, 490];

function row(top: number, cells: readonly string[]): Placed[] {
  return cells.map((cell, at): Placed => [COLUMNS[at] ?? 0, top, cell]);
}

const ITEMS = [
  ["Mooring rope, 20 m", "4", "12.50", "50.00"],
  ["Deck paint, white", "3", "18.00", "54.00"],
  ["Brass cleat", "8", "4.50", "36.00"],
];

/** Two pages: the second one has the terms and the account for payment. */
export const INVOICE: MadeFile = {
  name: "harbour-supplies-invoice.pdf",
  bytes: placedPdf([
    [
      ...lines(LEFT, 60, ["Harbour Supplies Ltd", "12 Quay Street", "10115 Berlin", "Germany", "VAT ID: DE136695976"]),
      ...lines(LEFT, 160, ["Bill to", "Miller and Daughters GmbH", "3 Mill Lane", "20095 Hamburg", "Germany"]),
      [LEFT, 260, "INVOICE"],
      ...labelled(290, [["Invoice number:", "HS-2026-0117"], ["Invoice date:", "2 March 2026"], ["Due date:", "1 April 2026"], ["Currency:", "EUR"]]),
      ...row(390, ["Description", "Quantity", "Unit price", "Amount"]),
      ...ITEMS.flatMap((item, at) => row(410 + at * 18, item)),
      ...[["Subtotal", "140.00"], ["VAT 19%", "26.60"], ["Total amount", "166.60"], ["Amount due", "EUR 166.60"]]
        .flatMap(([label = "", value = ""], at): Placed[] => [[390, 490 + at * 18, label], [490, 490 + at * 18, value]]),
    ],
    lines(LEFT, 60, ["Terms of payment", "Please pay within 30 days to Harbour Supplies Ltd."]),
  ]),
};

interface Traded {
  isin: string;
  name: string;
  quantity: string;
  price: string;
  gross: string;
  fees: string;
  net: string;
  date: string;
}

function contractNote(name: string, { isin, name: security, quantity, price, gross, fees, net, date }: Traded): MadeFile {
  return {
    name,
    bytes: placedPdf([[
      ...lines(LEFT, 60, ["Nordbank AG", "Securities services", "20095 Hamburg"]),
      [LEFT, 140, "Contract note: purchase of securities"],
      ...lines(LEFT, 170, ["We bought for your account:"]),
      ...labelled(210, [
        ["Order number", "4711-0815"], ["Security", security], ["ISIN", isin], ["Quantity", `${quantity} shares`], ["Price", `EUR ${price}`],
        ["Trade date", date], ["Settlement date", "04.03.2026"], ["Gross amount", `EUR ${gross}`], ["Commission", `EUR ${fees}`], ["Net amount charged", `EUR ${net}`],
      ]),
    ]]),
  };
}

export const CONTRACT_NOTE = contractNote("nordbank-purchase.pdf", {
  isin: "DE0007164600", name: "SAP SE", quantity: "10", price: "100.00", gross: "1,000.00", fees: "9.90", net: "1,009.90", date: "02.03.2026",
});

/** The sum of its amounts is wrong by 10.00. */
export const WRONG_CONTRACT_NOTE = contractNote("nordbank-wrong-sum.pdf", {
  isin: "US0378331005", name: "Apple Inc.", quantity: "5", price: "200.00", gross: "1,000.00", fees: "9.90", net: "1,019.90", date: "27.02.2026",
});
