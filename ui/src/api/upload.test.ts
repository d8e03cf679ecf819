import { expect, it } from "vitest";
import { formOf } from "./upload.ts";

const file = new File(["x"], "a.pdf");

it("says of a file what there is to say, before the file", () => {
  const form = formOf({ file, tags: ["tax", "2026"], password: "open sesame" });
  expect([...form.keys()]).toEqual(["password", "tag", "tag", "file"]);
  expect(form.getAll("tag")).toEqual(["tax", "2026"]);
  expect([...formOf({ file, tags: [], password: "" }).keys()]).toEqual(["file"]);
});
