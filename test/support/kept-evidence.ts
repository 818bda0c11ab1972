import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { sql } from "kysely";
import { openDatabase } from "../../packages/octavo/src/db/index.ts";

const run = promisify(execFile);

/** Something that the service wrote, said or sent, and where. */
export interface Evidence {
  /** `file`, `database`, ...: what a test wants to have seen one of. */
  readonly kind: string;
  readonly place: string;
  readonly content: string | Uint8Array;
}

/** The two files that hold secrets because they are there for it. */
const secretFiles = new Set(["secret", "admin-key"]);

/**
 * All that a stopped service leaves in its data folder: each file as it is, the rows of the database (which
 * compresses long values), and the objects of every repository (which are always compressed).
 */
export async function readDataFolder(dataDir: string): Promise<Evidence[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const evidence: Evidence[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const place = relative(dataDir, path);
    if (entry.isFile() && !secretFiles.has(place)) {
      // A name can tell as much as what is inside.
      evidence.push({ kind: "file", place: "names of files", content: place });
      evidence.push({ kind: "file", place, content: await readFile(path) });
    } else if (entry.isDirectory() && entry.name.endsWith(".git")) {
      evidence.push(await readRepository(path));
    }
  }
  return [...evidence, ...(await readDatabase(dataDir))];
}

/** Every commit, tree, file and tag that a repository holds, also those that no branch leads to. */
export async function readRepository(path: string): Promise<Evidence> {
  const args = ["--git-dir", path, "cat-file", "--batch-all-objects", "--batch"];
  const { stdout } = await run("git", args, { encoding: "buffer", maxBuffer: 64 * 1024 * 1024 });
  return { kind: "repository", place: path, content: stdout };
}

async function readDatabase(dataDir: string): Promise<Evidence[]> {
  await using database = await openDatabase({ dataDir });
  const { kysely } = database;
  const tables = await sql<{ schema: string; name: string }>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
  `.execute(kysely);
  const evidence: Evidence[] = [];
  for (const { schema, name } of tables.rows) {
    const table = sql.id(schema, name);
    const { rows } = await sql<{ text: string }>`select t::text as text from ${table} t`.execute(
      kysely,
    );
    const content = rows.map(({ text }) => text).join("\n");
    evidence.push({ kind: "database", place: `${schema}.${name}`, content });
  }
  return evidence;
}
