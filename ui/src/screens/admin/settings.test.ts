import { describe, expect, it } from "vitest";
import { isFound, valueInWords } from "./settings.ts";

describe("settings", () => {
  const setting = { key: "upload_max_size_mb", help: "The largest document, in megabytes." };

  it("are found by their names and by what they are for", () => {
    for (const text of ["", "upload_max", "Max Size", "largest", "MEGABYTES"]) expect(isFound(setting, text)).toBe(true);
    expect(isFound(setting, "upload timeout")).toBe(false);
  });

  it("are shown as one would write them", () => {
    expect(["text", "", 50, false, ["pdf", "docx"], []].map(valueInWords)).toEqual(["text", "", "50", "false", "pdf, docx", ""]);
  });
});
