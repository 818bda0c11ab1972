import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { z } from "zod";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { tryParseJson } from "../core/index.ts";
import type { Database } from "../db/index.ts";
import type { Storage } from "../storage/index.ts";

/** The storage key of the file that records which database the storage belongs to. */
const identityKey = "octavo-storage.json";
const pollIntervalMs = 200;

const identitySchema = z.object({ installation: z.string(), storage: z.string() });
type Identity = z.output<typeof identitySchema>;

/** The single row of `installation`. */
interface Installation {
  readonly id: string;
  readonly storageId: string | null;
  readonly isLinked: boolean;
}

/**
 * Checks that the storage belongs to the database, and returns it with a `ping` that repeats this check. A new
 * installation, or an installation by a version without identities, gets its identity here. If several nodes start at
 * the same time, one node links its storage and the others check theirs. Throws `invalid_input` for a different storage
 * or for wrong settings, and `unavailable` if the storage fails.
 */
export async function linkStorage(database: Database, storage: Storage): Promise<Storage> {
  try {
    await storage.ping();
    const expected = await ensureIdentity(database, storage);
    return {
      ...storage,
      async ping() {
        await storage.ping();
        checkIdentity(expected, await readIdentity(storage));
      },
    };
  } catch (error) {
    if (!isOctavoError(error, "unavailable") || error.details["isSetting"] !== true) throw error;
    throw new OctavoError("invalid_input", error.message, { cause: error });
  }
}

async function ensureIdentity(database: Database, storage: Storage): Promise<Identity> {
  const id = randomUUID();
  await database.kysely
    .insertInto("installation")
    .values({ id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  for (;;) {
    const { id: installation, storageId, isLinked } = await readInstallation(database);
    const identity = await readIdentity(storage);
    if (isLinked && storageId !== null) {
      const expected = { installation, storage: storageId };
      checkIdentity(expected, identity);
      return expected;
    }
    if (identity && identity.installation !== installation) throw createOtherInstallationError();
    if (await claimLink(database)) await link(database, storage, { installation, identity });
    else await sleep(pollIntervalMs);
  }
}

async function readInstallation({ kysely }: Database): Promise<Installation> {
  const row = await kysely.selectFrom("installation").selectAll().executeTakeFirstOrThrow();
  return { id: row.id, storageId: row.storage_id, isLinked: row.is_storage_linked };
}

/**
 * Claims the right to link the storage. Returns true for only one node at a time. A node that dies loses its claim
 * after a minute.
 */
async function claimLink({ kysely }: Database): Promise<boolean> {
  const { numUpdatedRows } = await kysely
    .updateTable("installation")
    .set({ storage_claimed_at: sql<Date>`now()` })
    .where("is_storage_linked", "=", false)
    .where((eb) =>
      eb.or([
        eb("storage_claimed_at", "is", null),
        eb("storage_claimed_at", "<", sql<Date>`now() - interval '1 minute'`),
      ]),
    )
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

interface LinkState {
  readonly installation: string;
  readonly identity: Identity | undefined;
}

/**
 * Writes the identity to the storage before the database refers to it. If the node dies in between, the next node
 * either finishes linking this storage, or links another storage and from then on rejects this storage.
 */
async function link(
  { kysely }: Database,
  storage: Storage,
  { installation, identity }: LinkState,
): Promise<void> {
  if (!identity) await writeIdentity(storage, { installation, storage: randomUUID() });
  const storedIdentity = identity ?? (await readIdentity(storage));
  if (storedIdentity?.installation !== installation) throw createOtherInstallationError();
  await kysely
    .updateTable("installation")
    .set({ storage_id: storedIdentity.storage, is_storage_linked: true })
    .where("is_storage_linked", "=", false)
    .execute();
}

function checkIdentity(expected: Identity, actual: Identity | undefined): void {
  if (actual && actual.installation !== expected.installation) throw createOtherInstallationError();
  if (actual?.storage === expected.storage) return;
  throw createSettingError(
    "This node's storage is not the one that belongs to the database. All nodes that use a database need the same storage: " +
      "S3, or a folder that all of them share. Check OCTAVO_STORAGE, OCTAVO_DATA and DATABASE_URL. If the original " +
      `storage is permanently lost, put a file ${identityKey} with ${JSON.stringify(expected)} into the new one.`,
  );
}

function createOtherInstallationError(): OctavoError {
  return createSettingError(
    "The storage belongs to another database. Check OCTAVO_STORAGE, OCTAVO_DATA and DATABASE_URL; if that database " +
      `is permanently lost, remove ${identityKey} from the storage.`,
  );
}

function createSettingError(message: string): OctavoError {
  return new OctavoError("unavailable", message, { details: { isSetting: true } });
}

async function readIdentity(storage: Storage): Promise<Identity | undefined> {
  let content: string;
  try {
    content = await text(await storage.read(identityKey));
  } catch (error) {
    if (isOctavoError(error, "not_found")) return undefined;
    throw error;
  }
  const parsed = identitySchema.safeParse(tryParseJson(content));
  if (parsed.success) return parsed.data;
  throw createSettingError(
    `The file ${identityKey} in the storage is damaged; restore it from a backup, or remove it and restart the node.`,
  );
}

async function writeIdentity(storage: Storage, identity: Identity): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "octavo-"));
  try {
    const file = join(folder, identityKey);
    await writeFile(file, `${JSON.stringify(identity)}\n`);
    await storage.put(identityKey, file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
