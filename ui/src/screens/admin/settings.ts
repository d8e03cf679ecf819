/** Search and display of settings. */
import type { SettingView } from "../../api/types.ts";

/** Matches the name, with or without underscores, and the help text. */
export function matchesSetting({ key, help }: Pick<SettingView, "key" | "help">, text: string): boolean {
  const words = text.toLowerCase().split(/[\s_]+/);
  const searched = `${key.replaceAll("_", " ")} ${help}`.toLowerCase();
  return words.every((word) => searched.includes(word));
}

/** A value as written in an environment variable. */
export function valueLabel(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
