/**
 * The lines of a JSON text: where it is invalid, and where the value of each path stands. Browsers report the place of an
 * error in different ways, and never the place of a value. Pure.
 */

export class JsonError extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

const WIDTH = 110;

/** JSON for people: what fits on a line is on one line, so that a field of a document type takes two or three lines rather than twenty. */
export function formatJson(value: unknown, indent = ""): string {
  const flat = flatJson(value);
  if (typeof value !== "object" || value === null || indent.length + flat.length <= WIDTH) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) return `[\n${filled(value.map(flatJson), inner)}\n${indent}]`;
  const items = Array.isArray(value)
    ? value.map((item) => inner + formatJson(item, inner))
    : Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${formatJson(item, inner)}`);
  return Array.isArray(value) ? `[\n${items.join(",\n")}\n${indent}]` : `{\n${items.join(",\n")}\n${indent}}`;
}

/** Words, many on each line: the labels of a field in several languages. */
function filled(words: readonly string[], indent: string): string {
  const lines: string[] = [];
  for (const [at, word] of words.entries()) {
    const next = at < words.length - 1 ? `${word},` : word;
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + next.length <= WIDTH) lines[lines.length - 1] = `${line} ${next}`;
    else lines.push(indent + next);
  }
  return lines.join("\n");
}

function flatJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flatJson).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${flatJson(item)}`).join(", ")}}`;
}

/** The line of each value, counted from 1, by its path: `["fields", "3", "name"]` joined with tabs. */
export type JsonLines = ReadonlyMap<string, number>;

const TOKEN = /\s*(?:([{}[\],:])|("(?:[^"\\\n]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;

/** Throws a {@link JsonError} with the line where the text is not JSON. */
export function linesOf(text: string): JsonLines {
  const lines = new Map<string, number>();
  let at = 0;
  let [counted, line] = [0, 1];
  // The offsets only grow, so each character is looked at once.
  const lineAt = (offset: number) => {
    for (; counted < offset; counted++) if (text[counted] === "\n") line += 1;
    return line;
  };
  const fail = (message: string): never => {
    const rest = text.slice(at);
    throw new JsonError(message, lineAt(at + (rest.length - rest.trimStart().length)));
  };
  const peek = () => {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    return found ? { text: found[0].trim(), end: TOKEN.lastIndex } : null;
  };
  const take = (...wanted: string[]): string => {
    const token = peek();
    if (!token || !wanted.includes(token.text)) return fail(`Expected ${wanted.map((sign) => `“${sign}”`).join(" or ")} here.`);
    at = token.end;
    return token.text;
  };
  const key = (): string => {
    const token = peek();
    if (!token?.text.startsWith('"')) return fail("Expected a name in double quotes here.");
    at = token.end;
    return string(token.text);
  };
  const string = (token: string): string => {
    try {
      return JSON.parse(token) as string;
    } catch {
      return fail("This text has an invalid escape or a control character.");
    }
  };
  const items = (open: string, close: string, each: (index: number) => void) => {
    take(open);
    if (peek()?.text === close) return void take(close);
    for (let index = 0; ; index++) {
      each(index);
      if (take(",", close) === close) return;
    }
  };
  const value = (path: readonly string[]) => {
    const token = peek();
    if (!token) return void fail("Expected a value here.");
    lines.set(path.join("\t"), lineAt(token.end - token.text.length));
    if (token.text === "{") {
      items("{", "}", () => {
        const name = key();
        take(":");
        value([...path, name]);
      });
    } else if (token.text === "[") items("[", "]", (index) => value([...path, String(index)]));
    else if (/^[}\],:]$/.test(token.text)) fail("Expected a value here.");
    else {
      if (token.text.startsWith('"')) string(token.text);
      at = token.end;
    }
  };
  value([]);
  if (text.slice(at).trim() !== "") fail("There is text after the end of the definition.");
  return lines;
}

/** The line of a path as the server writes it, or of the nearest value around it that is in the text. */
export function lineOfPath(lines: JsonLines, path: string): number | null {
  const segments = segmentsOf(path);
  for (let length = segments.length; length > 0; length--) {
    const line = lines.get(segments.slice(0, length).join("\t"));
    if (line !== undefined) return line;
  }
  return null;
}

/** `fields[3].patterns[0]`, or `schema/properties/total` for a place in the JSON Schema. */
function segmentsOf(path: string): string[] {
  if (path.includes("/")) return path.split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return path.split(/[.[\]]+/).filter(Boolean);
}
