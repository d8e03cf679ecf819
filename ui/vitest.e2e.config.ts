import { defineConfig } from "vitest/config";

// One browser, one server, one story after the other: see e2e/README.md.
export default defineConfig({
  test: {
    include: process.env["DOCKET_SCREENSHOTS"] ? ["e2e/screenshots.ts"] : ["e2e/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
