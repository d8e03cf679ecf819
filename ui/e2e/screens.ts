/** Every screen with an address to visit it at. `screens.test.ts` fails when a route of App.tsx has no row here. */

/** The documents that the addresses refer to. */
export interface Ids {
  /** A document that was read. */
  ready: string;
  failed: string;
  encrypted: string;
  /** An invoice with two versions of its result. */
  invoice: string;
  /** A contract note whose sum is wrong. */
  note: string;
}

export interface Screen {
  /** The route as App.tsx writes it; null for the page of an unknown address. */
  route: string | null;
  address: (ids: Ids) => string;
  /** A selector in the main region that is there once the screen has loaded. */
  loaded: string;
  /** Opens a dialog or a menu before the checks. */
  open?: string;
}

const screen = (route: string | null, address: string | Screen["address"], loaded: string, open?: string): Screen => ({
  route,
  address: typeof address === "string" ? () => address : address,
  loaded,
  ...(open !== undefined && { open }),
});

export const SCREENS: readonly Screen[] = [
  screen("/", "/", "h1"),
  screen("/documents", "/documents", "text=lease.pdf"),
  screen("/documents", "/documents", "text=lease.pdf", ".rows-space .check-target"),
  screen("/documents", "/documents?q=lease", ".passage-hits h3"),
  screen("/documents", "/documents?status=failed", "text=nested.html"),
  screen("/documents", "/documents?q=nothing", "h2"),
  screen("/documents/:id", ({ ready }) => `/documents/${ready}`, ".sheet img"),
  screen("/documents/:id", ({ ready }) => `/documents/${ready}`, ".sheet img", "button[aria-label=Rename]"),
  screen("/documents/:id", ({ ready }) => `/documents/${ready}?tab=fields`, ".result"),
  screen("/documents/:id", ({ invoice }) => `/documents/${invoice}?tab=fields`, ".result-fields", "[data-path=issue_date]"),
  screen("/documents/:id", ({ invoice }) => `/documents/${invoice}?tab=fields`, ".result-versions", "text=Compare versions"),
  screen("/documents/:id", ({ invoice }) => `/documents/${invoice}?tab=fields&result=2`, ".result-older"),
  screen("/documents/:id", ({ note }) => `/documents/${note}?tab=fields`, ".result-checks", "[data-path='trades.0.net_amount']"),
  screen("/documents/:id", ({ ready }) => `/documents/${ready}?tab=ask`, "#document-question"),
  screen("/documents/:id", ({ ready }) => `/documents/${ready}?tab=markdown`, ".markdown pre"),
  screen("/documents/:id", ({ ready }) => `/documents/${ready}?tab=history`, ".timeline"),
  screen("/documents/:id", ({ ready }) => `/documents/${ready}?tab=details`, ".versions"),
  screen("/documents/:id", ({ ready }) => `/documents/${ready}?tab=details`, ".versions", ".menu:last-of-type summary"),
  screen("/documents/:id", ({ failed }) => `/documents/${failed}`, ".run-error"),
  screen("/documents/:id", ({ encrypted }) => `/documents/${encrypted}`, ".run-error", "text=Enter password"),
  screen("/documents/:id", "/documents/none", "text=Document not found"),
  screen("/trades", "/trades", ".trades td"),
  screen("/trades", "/trades?isin=DE0007164600", "text=No matching trades"),
  screen("/ask", "/ask", "textarea"),
  screen("/ask", "/ask?mode=search&q=lease", "text=lease.pdf"),
  screen("/attention/:tab?", "/attention", ".cause"),
  screen("/attention/:tab?", "/attention", ".cause", "text=Discard all"),
  screen("/attention/:tab?", "/attention/stalled", "text=No runs in progress"),
  screen("/attention/:tab?", "/attention/jobs", "td"),
  screen("/repair/:tab?", "/repair/dead", ".cause"),
  screen("/account", "/account", "#own-keys"),
  screen("/admin/:tab?", "/admin/users", "td"),
  screen("/admin/:tab?", "/admin/users", "td", "text=Add user"),
  screen("/admin/:tab?", "/admin/keys", "td"),
  screen("/admin/:tab?", "/admin/keys", "td", "text=New key"),
  screen("/admin/:tab?", "/admin/usage", ".bar"),
  screen("/admin/:tab?", "/admin/rules", ".mask-page"),
  screen("/admin/:tab?", "/admin/types", "td"),
  screen("/admin/:tab?", "/admin/types?type=invoice", ".type-fields td"),
  screen("/admin/:tab?", "/admin/types?type=invoice&edit=1", "textarea"),
  screen("/admin/:tab?", "/admin/types?edit=new", "textarea"),
  screen("/admin/:tab?", "/admin/quality", ".time-chart"),
  screen("/admin/:tab?", "/admin/quality", ".time-chart", "text=By field"),
  screen("/admin/:tab?", "/admin/audit", "td"),
  screen("/admin/:tab?", "/admin/health", ".dependencies li"),
  screen("/admin/:tab?", "/admin/configuration", "td"),
  screen(null, "/no-such-page", "text=Page not found"),
];
