/** Starts the binary under test on a free port and with an empty data folder. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, chmodSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const ADMIN = { email: "admin@localhost", password: "a password for the tests" };

const START_MS = 90_000;
const STOP_MS = 30_000;

/** Limits that allow many requests in a short time. */
const SETTINGS = {
  DOCKET_ADMIN_PASSWORD: ADMIN.password,
  DOCKET_RATE_LIMIT_PER_SECOND: "100000",
  DOCKET_RATE_LIMIT_BURST: "1000000",
  DOCKET_LOGIN_ATTEMPTS_PER_MINUTE: "1000000",
};

export class Server {
  readonly folder = mkdtempSync(join(tmpdir(), "docket-e2e-"));
  url = "";
  #process: ChildProcess | null = null;

  static async start(): Promise<Server> {
    const server = new Server();
    // The private database may run as another user, who needs to enter the folder.
    chmodSync(server.folder, 0o755);
    await server.start("127.0.0.1:0");
    return server;
  }

  async start(listen: string): Promise<void> {
    const binary = process.env["DOCKET_BINARY"];
    if (!binary) throw new Error("DOCKET_BINARY names the binary to test: see scripts/ui-e2e");
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("DOCKET_") || name === "DOCKET_TOOLS");
    const child = spawn(binary, ["serve", "--data-dir", join(this.folder, "data"), "--listen", listen], {
      env: { ...Object.fromEntries(inherited), ...SETTINGS },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process = child;
    this.url = await ready(child);
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (!child) return;
    this.#process = null;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
    await gone;
    clearTimeout(timer);
  }

  /** Stops the server, runs `meanwhile`, and starts it again at the same address. */
  async restart(meanwhile: () => Promise<void>): Promise<void> {
    await this.stop();
    await meanwhile();
    await this.start(new URL(this.url).host);
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Sends a request of a program, to prepare or check something. */
  async fetch(path: string, token?: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (token) headers.set("authorization", `Bearer ${token}`);
    return fetch(this.url + path, { ...init, headers });
  }

  async signIn(who: { email: string; password: string } = ADMIN): Promise<string> {
    const response = await this.fetch("/v1/auth/login", undefined, json(who));
    return ((await response.json()) as { token: string }).token;
  }

  async addUser(email: string, role: string): Promise<{ email: string; password: string }> {
    const user = { email, password: "another password for the tests" };
    const response = await this.fetch("/v1/users", await this.signIn(), json({ ...user, role }));
    if (!response.ok) throw new Error(`cannot add ${email}: ${await response.text()}`);
    return user;
  }

  async upload(token: string, name: string, bytes: Uint8Array): Promise<string> {
    const form = new FormData();
    form.append("file", new Blob([bytes.slice()]), name);
    const response = await this.fetch("/v1/documents", token, { method: "POST", body: form });
    if (!response.ok) throw new Error(`cannot upload ${name}: ${await response.text()}`);
    return ((await response.json()) as { doc_id: string }).doc_id;
  }
}

export function json(body: unknown): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

function ready(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const timer = setTimeout(() => reject(new Error(`the server did not become ready:\n${output}`)), START_MS);
    const read = (piece: Buffer) => {
      output += piece.toString();
      const address = /Docket is ready at (http:\/\/\S+?)\/?\s/.exec(output)?.[1];
      if (!address) return;
      clearTimeout(timer);
      resolve(address);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code ?? "a signal"}:\n${output}`)));
  });
}
