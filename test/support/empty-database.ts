import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";

const { dependencies } = createRequire(import.meta.url)("../../package.json") as {
  readonly dependencies: { readonly "@electric-sql/pglite": string };
};
/** Stays between runs; another version makes its own, and so does another user. */
const kept = join(
  tmpdir(),
  `octavo-test-database-${dependencies["@electric-sql/pglite"]}-${userInfo().uid}`,
);

/**
 * Puts an empty embedded database into a data folder that has none: without tables, as PostgreSQL's
 * own first step makes it. That step is 3 s of CPU, and the same for each of the many databases that tests open.
 */
export async function putEmptyDatabase(dataDir: string): Promise<void> {
  const folder = join(dataDir, "database");
  if (existsSync(folder)) return;
  if (!existsSync(kept)) await makeEmptyDatabase();
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await cp(kept, folder, { recursive: true });
}

/** Renamed into place when whole; of two processes the first one wins. */
async function makeEmptyDatabase(): Promise<void> {
  const draft = await mkdtemp(`${kept}-`);
  const database = await PGlite.create(join(draft, "database"));
  await database.close();
  await rename(join(draft, "database"), kept).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  });
  await rm(draft, { recursive: true, force: true });
}
