import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// Where `npm run dev` and `npm run preview` find the API.
const server = process.env["DOCKET_URL"] ?? "http://127.0.0.1:8080";
const proxy = Object.fromEntries(
  ["/v1", "/docs", "/openapi.json", "/readyz", "/livez"].map((path) => [path, { target: server }]),
);

export default defineConfig({
  plugins: [react()],
  server: { proxy },
  preview: { proxy },
  build: {
    target: "es2022",
    // A picture or style inside the script would need a looser content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  test: { include: ["src/**/*.test.{ts,tsx}"] },
});
