import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createHash } from "node:crypto";
import { pipeline } from "node:stream/promises";
import type { Readable } from "node:stream";
import { sql } from "kysely";
import type { Kysely } from "kysely";
import { defaultQuotas } from "../../core/index.ts";
import type { Quotas } from "../../core/index.ts";
import { findViolatedConstraint } from "../../db/index.ts";
import type { Tables } from "../../db/index.ts";
import {
  createMissingRepositoryError,
  recordPublication,
  readAllowance,
  replacePacks,
} from "./publication.ts";
import type { RepositoryStore, StoredPack } from "./repository-store.ts";

/** The storage for the packs of hosted repositories; the storage of bundles implements it. */
export interface PackStorage {
  /** Stores the whole file or nothing. It is on the disk when this resolves, and the source file may be removed. */
  put(key: string, sourceFile: string): Promise<void>;
  /** Throws `not_found` if there is no such file. */
  read(key: string): Promise<Readable>;
  /** Does nothing if there is no such file. */
  delete(key: string): Promise<void>;
}

export interface StoreOptions {
  readonly db: Kysely<Tables>;
  readonly packs: PackStorage;
  /** Default: `defaultQuotas`. */
  readonly quotas?: Quotas | undefined;
}

/** Creates the store of a project's repository, which consists of database rows and packs in the storage. */
export function createRepositoryStore(
  { db, packs, quotas = defaultQuotas }: StoreOptions,
  projectId: string,
): RepositoryStore {
  return {
    async readGeneration() {
      const row = await db
        .selectFrom("hosted_repositories")
        .select("generation")
        .where("project_id", "=", projectId)
        .executeTakeFirst();
      return row?.generation;
    },
    async create() {
      const row = { project_id: projectId, head: "refs/heads/main" };
      try {
        const insert = db.insertInto("hosted_repositories").values(row);
        await insert.onConflict((conflict) => conflict.doNothing()).execute();
      } catch (error) {
        if (findViolatedConstraint(error) === undefined) throw error;
        throw createMissingRepositoryError();
      }
    },
    async read(since) {
      return await readState(db, projectId, since);
    },
    async readRefs(names) {
      return await readRefs(db, projectId, names);
    },
    async readAllowance() {
      return await readAllowance({ db, quotas }, projectId);
    },
    async putPack(file) {
      const pack = await describePack(projectId, file);
      const { key, bytes } = pack;
      // Recorded first, so that a node that stops in between does not leave an unrecorded file.
      const row = { key, project_id: projectId, generation: null, bytes };
      await db.insertInto("hosted_packs").values(row).execute();
      await packs.put(key, file);
      return pack;
    },
    async readPack(key) {
      return await packs.read(key);
    },
    async publish(publication) {
      return await recordPublication({ db, quotas }, projectId, publication);
    },
    async replacePacks(generation, pack) {
      return await replacePacks(db, projectId, { generation, key: pack.key });
    },
    async remove() {
      await db.deleteFrom("hosted_repositories").where("project_id", "=", projectId).execute();
    },
  };
}

/** One statement, which sees one consistent state. */
async function readState(db: Kysely<Tables>, projectId: string, since: number) {
  const { rows } = await sql<{
    generation: number;
    head: string;
    refs: [name: string, commit: string][];
    packs: StoredPack[];
  }>`
    select generation, head,
      (select coalesce(json_agg(json_build_array(name, commit)), '[]'::json)
        from hosted_refs where project_id = repository.project_id) as refs,
      (select coalesce(json_agg(json_build_object('key', key, 'bytes', bytes)
          order by generation), '[]'::json)
        from hosted_packs
        where project_id = repository.project_id and generation > ${since}) as packs
    from hosted_repositories repository
    where project_id = ${projectId}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw createMissingRepositoryError();
  const { generation, head, refs, packs } = row;
  return { generation, head, refs: new Map(refs), packs };
}

async function readRefs(
  db: Kysely<Tables>,
  projectId: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await db
    .selectFrom("hosted_refs")
    .select(["name", "commit"])
    .where("project_id", "=", projectId)
    .where((eb) =>
      eb.or(
        names.flatMap((name) => [
          eb("name", "=", name),
          // `0` follows `/`: everything below the name.
          eb.and([eb("name", ">", `${name}/`), eb("name", "<", `${name}0`)]),
        ]),
      ),
    )
    .orderBy("name")
    .execute();
  return new Map(rows.map(({ name, commit }) => [name, commit]));
}

/** Each pack gets a new key, so that a file cannot be removed while it is stored again. */
async function describePack(projectId: string, file: string): Promise<StoredPack> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  const { size } = await stat(file);
  const key = `repositories/${projectId}/${hash.digest("hex")}-${randomUUID()}.pack`;
  return { key, bytes: size };
}
