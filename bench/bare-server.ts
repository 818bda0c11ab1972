import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import type { ReadServer } from "./reader.ts";

/** The two statements that reading a status takes. */
export interface Statements {
  readonly caller: string;
  readonly job: string;
}

/** The statements that the service runs while `load` reads a status, as its connections show them. */
export async function statementsDuring(
  load: Promise<unknown>,
  databaseUrl: string,
): Promise<Statements> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const seen = new Set<string>();
  const loaded = new AbortController();
  const end = load.finally(() => loaded.abort());
  while (!loaded.signal.aborted) {
    const { rows } = await client.query<{ query: string }>(
      "select distinct query from pg_stat_activity where application_name = 'octavo'",
    );
    for (const { query } of rows) seen.add(query);
    await sleep(20);
  }
  await Promise.all([end, client.end()]);
  return { caller: find(seen, 'from "api_keys"'), job: find(seen, 'from "static_export_jobs"') };
}

function find(statements: ReadonlySet<string>, from: string): string {
  for (const statement of statements) {
    // The server shows no more than 1,023 bytes of a statement.
    const isWhole = statement.length < 1_000;
    if (isWhole && statement.startsWith("select") && statement.includes(from)) return statement;
  }
  throw new Error(`No statement ${from} was seen whole.`);
}

/** Starts `bare-status.ts` on a free port. */
export async function startBareStatus(
  databaseUrl: string,
  { caller, job }: Statements,
): Promise<ReadServer & Disposable> {
  const program = join(import.meta.dirname, "bare-status.ts");
  const child = spawn(process.execPath, [program, databaseUrl, caller, job], {
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [chunk] = (await once(child.stdout, "data")) as [Buffer];
  return {
    url: chunk.toString().trim(),
    pid: child.pid ?? 0,
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}
