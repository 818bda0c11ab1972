import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { sha256 } from "../../packages/site/src/core/index.ts";

const source = resolve(import.meta.dirname, "../../packages/octavo/src");
const { dependencies } = createRequire(import.meta.url)("../../packages/octavo/package.json") as {
  readonly dependencies: Readonly<Record<"@electric-sql/pglite" | "pg-boss", string>>;
};
/** Stays between runs; where anything is different that makes the tables another is made, and by another user. */
const kept = join(tmpdir(), `octavo-test-database-${hashOfTables()}-${userInfo().uid}`);

function hashOfTables(): string {
  const files = globSync(["db/migrations/*.ts", "db/migrate.ts", "jobs/queue/queue.ts"], {
    cwd: source,
  });
  const texts = files.toSorted().map((file) => readFileSync(join(source, file), "utf8"));
  const versions = [dependencies["@electric-sql/pglite"], dependencies["pg-boss"]];
  return sha256([...versions, ...texts].join("\0")).slice(0, 16);
}

/**
 * Puts an embedded database into a data folder that has none: with all tables and no rows, as a first start
 * leaves it. Making one takes 4 s of CPU, and the same for each of the many databases that tests open.
 */
export async function putEmptyDatabase(dataDir: string): Promise<void> {
  const folder = join(dataDir, "database");
  if (existsSync(folder)) return;
  if (!existsSync(kept)) await makeEmptyDatabase();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // Of a thousand small files; with promises this takes four times the CPU.
  cpSync(kept, folder, { recursive: true });
  passAsFlushed(dataDir);
}

/** As if a copied database was on the disk, where no test needs it: flushing it at its first start takes 0.1 s of CPU. */
export function passAsFlushed(dataDir: string): void {
  const folder = statSync(join(dataDir, "database"), { throwIfNoEntry: false });
  if (!folder) return;
  writeFileSync(join(dataDir, "database.flushed"), `${folder.ino} ${folder.birthtimeMs}`);
}

/** By the program itself. Renamed into place when whole; of two processes the first one wins. */
async function makeEmptyDatabase(): Promise<void> {
  const { openDatabase } = await import("../../packages/octavo/src/db/index.ts");
  const { openQueue } = await import("../../packages/octavo/src/jobs/index.ts");
  const draft = await mkdtemp(`${kept}-`);
  {
    await using database = await openDatabase({ dataDir: draft });
    const log = { info() {}, warn: fail, error: fail };
    await using _ = await openQueue({ database, log, isWorker: false });
  }
  await rename(join(draft, "database"), kept).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  });
  await rm(draft, { recursive: true, force: true });
}

function fail(cause: object, message: string): never {
  throw new Error(message, { cause });
}
