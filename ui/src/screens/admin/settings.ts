/** What the configuration screen decides about a setting. */
import type { SettingView } from "../../api/types.ts";

/** By its name, with or without underscores, or by what it is for. */
export function isFound({ key, help }: Pick<SettingView, "key" | "help">, text: string): boolean {
  const words = text.toLowerCase().split(/[\s_]+/);
  const said = `${key.replaceAll("_", " ")} ${help}`.toLowerCase();
  return words.every((word) => said.includes(word));
}

/** A value as one would write it in the environment. */
export function valueInWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
