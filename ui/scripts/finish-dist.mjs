// After `vite build`: makes the gzip twin of every file that gains from one, and holds the first load against its budget.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const DIST = fileURLToPath(new URL("../dist", import.meta.url));
const BUDGET = 250_000;
const COMPRESSIBLE = /\.(html|js|css|svg|json|txt)$/;

const sizes = new Map();
for (const entry of await readdir(DIST, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !COMPRESSIBLE.test(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  const bytes = await readFile(path);
  const compressed = gzipSync(bytes, { level: 9 });
  sizes.set(path.slice(DIST.length), compressed.length);
  if (compressed.length < bytes.length) await writeFile(`${path}.gz`, compressed);
}

// What a browser fetches before anything is drawn: the scripts that the page itself names.
const page = await readFile(join(DIST, "index.html"), "utf8");
const named = [...page.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map((match) => match[1]);
const first = named.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
for (const [name, size] of [...sizes].sort((a, b) => b[1] - a[1])) {
  console.log(`${String(size).padStart(8)}  ${name}${named.includes(name) ? "  (first load)" : ""}`);
}
console.log(`${String(first).padStart(8)}  bytes of script on the first load, compressed; the budget is ${BUDGET}`);
if (first === 0 || first > BUDGET) process.exit(1);
