import { describe, expect, it } from "vitest";
import { matchesSetting, valueLabel } from "./settings.ts";

describe("settings", () => {
  const setting = { key: "upload_max_size_mb", help: "The largest document, in megabytes." };

  it("match by name and by help text", () => {
    for (const text of ["", "upload_max", "Max Size", "largest", "MEGABYTES"]) expect(matchesSetting(setting, text)).toBe(true);
    expect(matchesSetting(setting, "upload timeout")).toBe(false);
  });

  it("are shown as written in an environment variable", () => {
    expect(["text", "", 50, false, ["pdf", "docx"], []].map(valueLabel)).toEqual(["text", "", "50", "false", "pdf, docx", ""]);
  });
});
