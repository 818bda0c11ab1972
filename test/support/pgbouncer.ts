import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "./free-port.ts";
import { unprivilegedUser } from "./unprivileged.ts";

/** The program PgBouncer, which no package of npm holds; tests that need it are skipped without it. */
export const pgBouncer = process.env["OCTAVO_TEST_PGBOUNCER"];

export interface TestPooler extends AsyncDisposable {
  /** The pooler's address of the database at `url`. */
  urlOf(url: string): string;
}

/** Starts PgBouncer before the server of `server`, with a connection of the server's for each transaction. */
export async function startPgBouncer(program: string, server: string): Promise<TestPooler> {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "octavo-pgbouncer-"));
  starting.defer(() => rm(folder, { recursive: true, force: true }));
  const port = await freePort();
  const config = join(folder, "pgbouncer.ini");
  const users = join(folder, "users.txt");
  const { hostname, port: serverPort } = new URL(server);
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${serverPort} user=postgres`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    "pool_mode = transaction",
    "default_pool_size = 3",
  ];
  await writeFile(config, `${lines.join("\n")}\n`);
  await writeFile(users, "");
  // PgBouncer refuses to run as root.
  const { uid, gid } = unprivilegedUser;
  await chmod(folder, 0o755);
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
  const child = spawn(program, [config], {
    ...unprivilegedUser,
    cwd: folder,
    env: { LD_LIBRARY_PATH: process.env["LD_LIBRARY_PATH"] },
    stdio: ["ignore", "ignore", "pipe"],
  });
  starting.defer(async () => {
    if (child.exitCode !== null || !child.kill("SIGKILL")) return;
    await once(child, "exit");
  });
  const ready = Promise.withResolvers<void>();
  const output: string[] = [];
  createInterface(child.stderr).on("line", (line) => {
    output.push(line);
    if (line.includes("process up")) ready.resolve();
  });
  child.once("exit", () => ready.reject(new Error(`PgBouncer ended: ${output.join("\n")}`)));
  await ready.promise;
  const running = starting.move();
  return {
    urlOf(url) {
      const pooled = new URL(url);
      pooled.port = String(port);
      return pooled.href;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
