import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { sql } from "kysely";
import type { Kysely } from "kysely";
import { fullPlan } from "../core/index.ts";
import type { Tables } from "../db/index.ts";
import { createKey, generateKey } from "./keys.ts";
import { insertOrganization } from "./organizations.ts";
import type { Organization } from "./organizations.ts";

export interface FirstStart {
  readonly organization: Organization;
  /** The admin key, which may be shown to a person but never logged. */
  readonly key: string;
  /** The file with the key. Its mode is 0600. */
  readonly keyFile: string;
}

/**
 * Returns the path of the file to which the first start writes the admin key. The operator may have moved the file
 * since.
 */
export function getAdminKeyPath(dataFolder: string): string {
  return join(dataFolder, "admin-key");
}

/** An arbitrary number that no other lock uses. */
const lockNumber = 4_400_001;

/**
 * If the database has no organization yet, creates one with the plan `enterprise` and one admin key, and writes the key
 * to `<data>/admin-key`. Otherwise returns undefined. If several nodes start at the same time, only one of them does
 * this.
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
    await createKey(transaction, { scope, name: "First admin key", secret: key });
    // The key is written before the commit, because it could not be recovered afterward. After a crash between the two,
    // the next start repeats both.
    writeKeyFile(keyFile, key);
    return { organization, key, keyFile };
  });
}

function writeKeyFile(path: string, key: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // An old file is removed first because the mode applies only to new files.
  rmSync(path, { force: true });
  writeFileSync(path, `${key}\n`, { mode: 0o600, flag: "wx" });
}

async function hasOrganization(db: Kysely<Tables>): Promise<boolean> {
  const row = await db.selectFrom("organizations").select("id").limit(1).executeTakeFirst();
  return row !== undefined;
}
