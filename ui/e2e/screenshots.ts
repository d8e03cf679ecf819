/**
 * Pictures of every screen, light and dark, into screenshots/. With DOCKET_CORPUS (a folder of real documents, in folders by kind)
 * they show those; without it, the small documents that the tests make.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, it } from "vitest";
import { openBrowser, openWindow, signIn } from "./browser.ts";
import { CONTRACT_NOTE, INVOICE, WRONG_CONTRACT_NOTE } from "./business-files.ts";
import { HOSTILE, LEASE, twentyFiles, type MadeFile } from "./files.ts";
import { json, Server } from "./server.ts";

const FOLDER = join(import.meta.dirname, "../screenshots");
const FROM_EACH = 5;
const KINDS = ["invoices", "scans_sroie", "contracts_cuad", "office_docling/docx", "office_docling/xlsx", "office_docling/html", "eml", "hostile/made"];

let server: Server;
beforeAll(async () => {
  server = await Server.start();
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
});
afterAll(() => server.remove());

function filesToShow(): MadeFile[] {
  const corpus = process.env["DOCKET_CORPUS"];
  if (!corpus || !existsSync(corpus)) {
    console.warn("screenshots: DOCKET_CORPUS names no folder of documents, so the tests' own are shown");
    return [...twentyFiles(), HOSTILE];
  }
  const files = KINDS.filter((kind) => existsSync(join(corpus, kind))).flatMap((kind) => {
    const names = readdirSync(join(corpus, kind)).filter((name) => /\.(pdf|jpg|png|docx|xlsx|html|eml)$/.test(name));
    return names.slice(0, FROM_EACH).map((name) => ({ name: basename(name), bytes: readFileSync(join(corpus, kind, name)) }));
  });
  return [LEASE, ...files.filter((file) => file.bytes.length > 0), HOSTILE];
}

const THEMES = ["light", "dark"] as const;

it("takes them", { timeout: 900_000 }, async () => {
  const browser = await openBrowser();
  try {
    for (const theme of THEMES) {
      const window = await openWindow(browser, theme);
      const page = await window.newPage();
      await page.goto(server.url);
      await page.getByLabel("Email").waitFor();
      await shoot(page, "sign-in", theme);
      await signIn(page, server);
      await page.getByText("Welcome to Docket").waitFor();
      await shoot(page, "welcome", theme);
      await window.close();
    }
    const token = await prepare();
    const documents = await listDocuments(token);
    for (const theme of THEMES) {
      const window = await openWindow(browser, theme);
      const page = await window.newPage();
      await signIn(page, server);
      await takeScreens(page, theme, documents);
      await window.close();
      const tablet = await browser.newContext({ colorScheme: theme, viewport: { width: 820, height: 1100 }, reducedMotion: "reduce" });
      const small = await tablet.newPage();
      await signIn(small, server);
      await small.goto(`${server.url}/documents`);
      await shoot(small, "tablet-documents", theme);
      await small.goto(`${server.url}/documents/${documents.scan ?? documents.pdf}`);
      await shoot(small, "tablet-document", theme);
      await tablet.close();
    }
  } finally {
    await browser.close();
  }
});

/** Documents, people and a key, so that no screen is empty that would not be. */
async function prepare(): Promise<string> {
  const token = await server.signIn();
  await server.addUser("ana@example.com", "user");
  await server.addUser("ben@example.com", "reviewer");
  await server.addUser("cho@example.com", "auditor");
  await server.fetch("/v1/api-keys", token, json({ name: "Mail import", role: "api_client" }));
  // A rate at which some fields are accepted and others need review.
  await server.fetch("/v1/tenant/acceptance", token, { ...json({ accepted_error_rate: 0.1 }), method: "PUT" });
  for (const file of [...filesToShow(), INVOICE, CONTRACT_NOTE, WRONG_CONTRACT_NOTE]) {
    await server.upload(token, file.name, file.bytes).catch((error: unknown) => console.warn(String(error)));
  }
  for (;;) {
    const summary = (await (await server.fetch("/v1/documents/stats/summary", token)).json()) as { uploaded: number; processing: number };
    if (summary.uploaded + summary.processing === 0) return token;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

interface Shown {
  /** Two of the made documents with fields. */
  note: string;
  invoice: string;
  lease: string | undefined;
  pdf: string;
  scan: string | undefined;
  failed: string;
  withoutPages: string;
}

async function listDocuments(token: string): Promise<Shown> {
  const { items } = (await (await server.fetch("/v1/documents?status=all&limit=100", token)).json()) as { items: { doc_id: string; filename: string; file_kind: string; status: string }[] };
  const first = (isIt: (item: (typeof items)[number]) => boolean) => items.find(isIt)?.doc_id ?? items[0]?.doc_id ?? "";
  const shown = {
    note: first((item) => item.filename === CONTRACT_NOTE.name),
    invoice: first((item) => item.filename === INVOICE.name),
    lease: items.find((item) => item.filename === LEASE.name)?.doc_id,
    pdf: items.findLast((item) => item.file_kind === "pdf" && item.status === "active")?.doc_id ?? "",
    scan: items.find((item) => item.file_kind === "jpg" && item.status === "active")?.doc_id,
    failed: first((item) => item.status === "failed"),
    withoutPages: first((item) => ["docx", "html", "md"].includes(item.file_kind) && item.status === "active"),
  };
  // A second run, for the comparison.
  await server.fetch(`/v1/documents/${shown.pdf}/rerun`, token, json({ reason: "a newer reader" }));
  return shown;
}

async function takeScreens(page: Page, theme: string, shown: Shown): Promise<void> {
  const visit = async (path: string, name: string, before?: () => Promise<unknown>) => {
    await page.goto(server.url + path);
    await page.locator(".skeleton").first().waitFor({ state: "detached", timeout: 20_000 }).catch(() => undefined);
    await before?.();
    await shoot(page, name, theme);
  };
  await visit("/", "home", () => page.waitForTimeout(7_000));
  await visit("/documents", "documents");
  await visit("/documents", "documents-selected", async () => {
    for (const row of [1, 2, 4]) await page.getByRole("row").nth(row).getByRole("checkbox").click();
  });
  await visit("/documents?status=failed&type=pdf", "documents-filtered");
  await visit("/documents?q=nothing+has+this+name", "documents-nothing");
  await visit(`/documents/${shown.pdf}`, "document", async () => {
    await page.locator(".overlay-word").nth(12).waitFor({ state: "attached" });
    await page.locator(".sheet img").waitFor();
    await page.locator(".overlay-word").nth(12).click({ force: true });
  });
  if (shown.lease) {
    const quote = encodeURIComponent("The lease ends on 31 May 2031");
    await visit(`/documents/${shown.lease}?page=2&quote=${quote}&at=2:70,107,238,122`, "document-passage", () => page.locator(".sheet img").waitFor());
  }
  if (shown.scan) {
    await visit(`/documents/${shown.scan}`, "document-scan", async () => {
      await page.locator(".sheet img").waitFor();
      if ((await page.locator(".overlay-disputed").count()) > 0) await page.keyboard.press("n");
    });
  }
  await visit(`/documents/${shown.pdf}?tab=history`, "document-history", () => page.getByText("Compare runs").click());
  await visit(`/documents/${shown.pdf}?tab=tables`, "document-tables");
  await visit(`/documents/${shown.note}?tab=fields`, "document-fields", async () => {
    await page.locator(".sheet img").waitFor();
    await page.locator("[data-path='trades.0.net_amount']").click();
  });
  await visit(`/documents/${shown.invoice}?tab=fields`, "document-fields-invoice", () => page.locator(".result-versions").waitFor());
  await visit(`/documents/${shown.pdf}?tab=markdown`, "document-markdown");
  await visit(`/documents/${shown.pdf}?tab=details`, "document-details");
  await visit(`/documents/${shown.withoutPages}`, "document-without-pages");
  await visit(`/documents/${shown.failed}`, "document-failed");
  await visit("/documents/00000000-0000-7000-8000-000000000000", "document-missing");
  await visit("/trades", "trades");
  await visit("/admin/types?type=contract_note", "admin-type");
  await visit("/admin/types?type=contract_note&edit=1", "admin-type-editor", () => page.locator(".json-gutter").waitFor());
  await visit("/ask", "ask");
  await visit("/ask?q=When+does+the+lease+end%3F&mode=ask", "ask-answer", () => page.getByRole("heading", { name: "Sources" }).waitFor());
  await visit("/ask?q=How+many+bathrooms+does+the+lease+mention%3F&mode=ask", "ask-no-answer", () => page.getByRole("heading", { name: "Closest passages" }).waitFor());
  await visit("/ask?q=termination+of+the+lease&mode=search", "ask-search", () => page.locator(".passage").first().waitFor());
  await visit("/account", "account");
  for (const tab of ["failed", "stalled", "jobs"]) await visit(`/attention/${tab}`, `attention-${tab}`, () => page.waitForTimeout(500));
  for (const tab of ["users", "keys", "usage", "types", "quality", "audit", "health", "configuration"]) await visit(`/admin/${tab}`, `admin-${tab}`, () => page.waitForTimeout(500));
  await visit("/admin/audit", "admin-audit-verified", () => page.getByRole("button", { name: "Verify chain" }).click().then(() => page.waitForTimeout(500)));
  await visit("/admin/rules", "admin-rules", async () => {
    await page.getByRole("button", { name: "Add region" }).click();
    if (shown.lease) await page.getByLabel("Preview on").selectOption(shown.lease);
  });
  await visit("/documents", "upload-with", () => page.getByRole("button", { name: "Upload with…" }).click());
  await visit("/admin/users", "admin-new-user", () => page.getByRole("button", { name: "Add user" }).click());
  await visit("/", "keys", () => page.keyboard.press("?"));
  await visit("/documents", "upload", async () => {
    await page.getByLabel("Files to upload").setInputFiles([...twentyFiles().slice(0, 6), { name: "empty.pdf", bytes: new Uint8Array() }].map((file) => ({ name: file.name, mimeType: "application/octet-stream", buffer: Buffer.from(file.bytes) })));
    await page.getByText("1 refused").waitFor();
  });
  await visit("/ask", "session-expired", async () => {
    await page.locator("#question").fill("What was I about to ask?");
    await page.route("**/v1/ask", (route) => route.fulfill({ status: 401, contentType: "application/problem+json", body: "{}" }));
    await page.keyboard.press("Enter");
    await page.getByText("Your session ended").waitFor();
  });
}

/** The pictures of docs/, made of these. Copy them from screenshots/ when a screen has changed. */
const OF_DOCS: Record<string, string> = {
  "document-passage-light": "ui-document.webp",
  "documents-light": "ui-documents.webp",
  "document-fields-light": "ui-fields.webp",
  "attention-failed-light": "ui-attention.webp",
};

async function shoot(page: Page, name: string, theme: string): Promise<void> {
  // The live line never falls silent, so the network never does either: long enough for what the screen asks for.
  await page.waitForTimeout(700);
  const png = await page.screenshot({ path: join(FOLDER, `${name}-${theme}.png`) });
  const copy = OF_DOCS[`${name}-${theme}`];
  if (copy !== undefined) writeFileSync(join(FOLDER, copy), await webpOf(page, png));
}

/** The browser encodes it: WebP takes a third of the bytes. */
async function webpOf(page: Page, png: Buffer): Promise<Buffer> {
  const address = await page.evaluate(async (data) => {
    const picture = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))]));
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [picture.width, picture.height];
    canvas.getContext("2d")?.drawImage(picture, 0, 0);
    return canvas.toDataURL("image/webp", 0.8);
  }, png.toString("base64"));
  return Buffer.from(address.slice(address.indexOf(",") + 1), "base64");
}
