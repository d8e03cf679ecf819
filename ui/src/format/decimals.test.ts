import { expect, it } from "vitest";
import { difference } from "./decimals.ts";

it("a difference is exact and has no sign", () => {
  expect(difference("0.3", ["0.1", "0.2"], [])).toBe("0.0");
  expect(difference("1019.90", ["1000.00", "9.9"], [])).toBe("10.00");
  expect(difference("990", ["1000"], ["9.90"])).toBe("0.10");
  expect(difference("-5", ["5"], [])).toBe("10");
  expect(difference("123456789012345678.01", ["123456789012345678"], [])).toBe("0.01");
});

it("text has no difference", () => {
  expect(difference("1.0", ["about 1"], [])).toBeNull();
});
