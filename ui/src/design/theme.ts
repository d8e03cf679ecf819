/** Light, dark, or the system's theme. `public/theme.js` applies the choice before the first paint. */
import { Store } from "../live/store.ts";

export type Theme = "system" | "light" | "dark";

const STORAGE_KEY = "docket.theme";

function chosen(): Theme {
  const theme = document.documentElement.dataset["theme"];
  return theme === "light" || theme === "dark" ? theme : "system";
}

export const theme = new Store<Theme>(typeof document === "undefined" ? "system" : chosen());

export function choose(next: Theme): void {
  if (next === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = next;
  try {
    if (next === "system") localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, next);
  } catch {
    // Without storage the choice lasts as long as the tab.
  }
  theme.set(next);
}

export function nextTheme(now: Theme): Theme {
  return now === "system" ? "light" : now === "light" ? "dark" : "system";
}
