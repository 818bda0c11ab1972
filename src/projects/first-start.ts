import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
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

/** Any number; whoever starts first on an empty database holds it. */
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
  const keyFile = join(dataFolder, "admin-key");
  const draft = `${keyFile}.new`;
  const key = generateKey();
  if (await hasOrganization(db)) return undefined;
  // On disk before the commit: after it, nothing could give the key back.
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  await writeFile(draft, `${key}\n`, { mode: 0o600 });
  const organization = await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${lockNumber})`.execute(transaction);
    if (await hasOrganization(transaction)) return undefined;
    const made = await insertOrganization(transaction, "Default", "enterprise");
    const scope = { organizationId: made.id, projectId: null };
    await insertKey(transaction, { scope, name: "First admin key", secret: key });
    return made;
  });
  if (!organization) return undefined;
  await rename(draft, keyFile);
  return { organization, key, keyFile };
}

async function hasOrganization(db: Kysely<Tables>): Promise<boolean> {
  const row = await db.selectFrom("organizations").select("id").limit(1).executeTakeFirst();
  return row !== undefined;
}
