import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sql } from "kysely";
import type { Kysely } from "kysely";
import { fullPlan } from "../core/index.ts";
import type { Tables } from "../db/index.ts";
import { generateKey, insertKey } from "./keys.ts";
import { insertOrganization } from "./organizations.ts";
import type { Organization } from "./organizations.ts";

export interface FirstStart {
  readonly organization: Organization;
  /** The admin key: may be shown to a person, never logged. */
  readonly key: string;
  /** The file with the key, mode 0600. */
  readonly keyFile: string;
}

/** Returns the path to which the first start writes the admin key; an operator may have moved it since. */
export function getAdminKeyPath(dataFolder: string): string {
  return join(dataFolder, "admin-key");
}

/** An arbitrary number that no other lock uses. */
const lockNumber = 4_400_001;

/**
 * Creates one organization with the plan `enterprise` and one admin key if the database has no organization yet, and
 * writes the key to `<data>/admin-key`. Returns undefined if there was one. If several nodes start at the same time,
 * only one does this.
 */
export async function prepareFirstStart(
  db: Kysely<Tables>,
  dataFolder: string,
): Promise<FirstStart | undefined> {
  if (await hasOrganization(db)) return undefined;
  const keyFile = getAdminKeyPath(dataFolder);
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${lockNumber})`.execute(transaction);
    if (await hasOrganization(transaction)) return undefined;
    const organization = await insertOrganization(transaction, "Default", fullPlan);
    const scope = { organizationId: organization.id, projectId: null };
    const key = generateKey();
    await insertKey(transaction, { scope, name: "First admin key", secret: key });
    // Before the commit: afterwards the key could not be recovered. After a crash in between, the next start repeats
    // it.
    writeKeyFile(keyFile, key);
    return { organization, key, keyFile };
  });
}

function writeKeyFile(path: string, key: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // The mode applies to new files only.
  rmSync(path, { force: true });
  writeFileSync(path, `${key}\n`, { mode: 0o600, flag: "wx" });
}

async function hasOrganization(db: Kysely<Tables>): Promise<boolean> {
  const row = await db.selectFrom("organizations").select("id").limit(1).executeTakeFirst();
  return row !== undefined;
}
