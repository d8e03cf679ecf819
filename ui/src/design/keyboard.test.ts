import { describe, expect, it } from "vitest";
import { matchKeys } from "./keyboard.ts";

const known = ["?", "/", "g d", "g h", "d"];

describe("matchKeys", () => {
  it("knows single keys and sequences", () => {
    expect(matchKeys(["?"], known).match).toBe("?");
    expect(matchKeys(["g"], known)).toEqual({ match: null, pending: ["g"] });
    expect(matchKeys(["g", "h"], known).match).toBe("g h");
  });

  it("prefers a sequence over its last key, and starts over after a mistake", () => {
    expect(matchKeys(["g", "d"], known).match).toBe("g d");
    expect(matchKeys(["x", "d"], known).match).toBe("d");
    expect(matchKeys(["g", "g"], known)).toEqual({ match: null, pending: ["g"] });
    expect(matchKeys(["x"], known)).toEqual({ match: null, pending: [] });
  });
});
