import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { Tables } from "../db/index.ts";
import { generateKey } from "./key-format.ts";
import { insertKey } from "./keys.ts";
import { insertOrganization } from "./organizations.ts";
import type { Organization } from "./organizations.ts";

export interface FirstStart {
  readonly organization: Organization;
  /** The admin key: shown to a person or not at all, never logged. */
  readonly key: string;
  /** Where it was written, mode 0600. */
  readonly keyFile: string;
}

/** Where the first start leaves the admin key; an operator may have moved it since. */
export function adminKeyFile(dataFolder: string): string {
  return join(dataFolder, "admin-key");
}

/** Any number that nothing else locks. */
const lockNumber = 4_400_001;

/**
 * Makes one organisation with the plan `enterprise` and one admin key where the database has no
 * organisation yet, and writes the key to `<data>/admin-key`. Undefined where there was one. Of
 * several nodes that start at once, one does it.
 */
export async function prepareFirstStart(
  db: Kysely<Tables>,
  dataFolder: string,
): Promise<FirstStart | undefined> {
  if (await hasOrganization(db)) return undefined;
  const keyFile = adminKeyFile(dataFolder);
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${lockNumber})`.execute(transaction);
    if (await hasOrganization(transaction)) return undefined;
    const organization = await insertOrganization(transaction, "Default", "enterprise");
    const scope = { organizationId: organization.id, projectId: null };
    const key = generateKey();
    await insertKey(transaction, { scope, name: "First admin key", secret: key });
    // Before the commit, after which nothing could give the key back; a start that dies in between is made anew.
    writeKeyFile(keyFile, key);
    return { organization, key, keyFile };
  });
}

function writeKeyFile(path: string, key: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // A mode is given to new files only.
  rmSync(path, { force: true });
  writeFileSync(path, `${key}\n`, { mode: 0o600, flag: "wx" });
}

async function hasOrganization(db: Kysely<Tables>): Promise<boolean> {
  const row = await db.selectFrom("organizations").select("id").limit(1).executeTakeFirst();
  return row !== undefined;
}
