import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { Readable } from "node:stream";
import { sql, type Kysely, type Transaction } from "kysely";
import { OctavoError } from "@octavo/site/core";
import { defaultQuotas, type OrganizationPlan, type Quotas } from "../core/index.ts";
import { findViolatedConstraint, transact, type Tables } from "../db/index.ts";
import type { CopiedRepository } from "../git/index.ts";

/** A bare repository that every node serves, and this node's copy of it. */
export interface HostedRepository extends CopiedRepository {
  readonly store: RepositoryStore;
  /** Called with the full names of refs after they have moved. Must not throw. */
  readonly onMoved?: ((names: readonly string[]) => void) | undefined;
}

/** A consistent state of a hosted repository. */
export interface RepositoryState {
  /** The number of ref changes, starting at 0 for a new repository. */
  readonly generation: number;
  /** The full name of the branch to which HEAD refers. */
  readonly head: string;
  /** Commits by full ref names. */
  readonly refs: ReadonlyMap<string, string>;
}

export interface RefUpdate {
  /** The full name, such as `refs/heads/main`. */
  readonly name: string;
  /** A full commit hash in the repository, or null to remove the ref. */
  readonly to: string | null;
  /** The required current commit; null if the ref must not exist. By default, any commit is accepted. */
  readonly expected?: string | null;
}

export interface StoredPack {
  readonly key: string;
  readonly bytes: number;
}

interface Publication {
  /** The generation whose refs reach every object that the new commits need and that the pack does not contain. */
  readonly basis: number;
  /** The updates, each of a different ref. */
  readonly updates: readonly RefUpdate[];
  /** The new objects; undefined if the change adds no objects. */
  readonly pack?: StoredPack | undefined;
  /** Whether a single ref that is not at its expected commit prevents all updates. */
  readonly isAtomic: boolean;
  /** Whether a commit that was reachable from a ref may become unreachable. */
  readonly canLoseCommits: boolean;
  /** The new HEAD; by default, HEAD does not change. */
  readonly head?: string | undefined;
  /** The maximum total size of all packs. A publication that exceeds it is rejected as `too_large`. */
  readonly maxBytes: number;
}

/**
 * `outdated` means that nothing was changed, because the pack may now lack objects; try again with the current state.
 */
export type PublishResult =
  | { readonly kind: "outdated" }
  | {
      readonly kind: "published";
      /** The names of the refs that did not move because they were not at their expected commits. */
      readonly unmovedRefs: readonly string[];
      /** The number of packs in the repository. */
      readonly packs: number;
    };

/** The space that a repository has left. */
export interface Allowance {
  /** The free space; 0 if there is no space left. */
  readonly bytes: number;
  /** The reason for rejecting a larger push, sent to the client, without a period. */
  readonly reason: string;
}

/**
 * The durable store of a hosted repository, shared by all nodes. Folders are copies of it. Every method may be called
 * on several nodes at the same time. All methods throw `OctavoError`: `not_found` if the project was deleted, and
 * `unavailable`.
 */
interface RepositoryStore {
  /** Returns the current generation, or undefined if the repository was never created. */
  readGeneration(): Promise<number | undefined>;
  /** Creates an empty repository. Leaves an existing repository unchanged. */
  create(): Promise<void>;
  /** Returns a consistent state, and the packs, oldest first, that a complete copy at the generation `since` lacks. */
  read(since: number): Promise<RepositoryState & { readonly packs: readonly StoredPack[] }>;
  /** Returns the commits of the refs with these full names, and of the refs below them. */
  readRefs(names: readonly string[]): Promise<Map<string, string>>;
  /** Returns the space that is left now. `publish` makes the final decision. */
  readAllowance(): Promise<Allowance>;
  /**
   * Stores a file, which may be removed afterwards. The stored pack is not used before it is published. If it is not
   * published within a day, it is removed.
   */
  putPack(file: string): Promise<StoredPack>;
  /** Opens a pack. Throws `not_found` if the pack was removed because another pack contains its objects. */
  readPack(key: string): Promise<Readable>;
  /** Moves refs in one step. Once this resolves, the change applies to every node and is on disk. */
  publish(publication: Publication): Promise<PublishResult>;
  /**
   * Replaces all packs with one that contains every object of `generation`. Returns false if the refs have changed
   * since.
   */
  replacePacks(generation: number, pack: StoredPack): Promise<boolean>;
  /** Removes the repository. Does nothing if it does not exist. */
  remove(): Promise<void>;
}

/** Storage for the packs of hosted repositories, which bundle storage implements. */
export interface PackStorage {
  /** Stores the whole file or nothing. Once this resolves, the file is on disk, and the source file may be removed. */
  put(key: string, sourceFile: string): Promise<void>;
  /** Opens a file. Throws `not_found` if it does not exist. */
  read(key: string): Promise<Readable>;
  /** Deletes a file. Does nothing if it does not exist. */
  delete(key: string): Promise<void>;
}

export interface StoreOptions {
  readonly db: Kysely<Tables>;
  readonly packs: PackStorage;
  /** Defaults to `defaultQuotas`. */
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
      // The row is written first, so that a node that stops before the file is stored does not leave an unrecorded
      // file.
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

/** Reads the state in one statement, so that it is consistent. */
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
          // `0` follows `/` in ASCII, so this range contains everything below the name.
          eb.and([eb("name", ">", `${name}/`), eb("name", "<", `${name}0`)]),
        ]),
      ),
    )
    .orderBy("name")
    .execute();
  return new Map(rows.map(({ name, commit }) => [name, commit]));
}

/** Describes a pack. Each pack gets a new key, so that a file cannot be removed while it is stored again. */
async function describePack(projectId: string, file: string): Promise<StoredPack> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  const { size } = await stat(file);
  const key = `repositories/${projectId}/${hash.digest("hex")}-${randomUUID()}.pack`;
  return { key, bytes: size };
}

interface RepositoryRow {
  readonly generation: number;
  readonly basis: number;
}

interface PublicationOptions {
  readonly db: Kysely<Tables>;
  readonly quotas: Quotas;
}

/** Moves refs of a repository in one transaction. Only one caller at a time can do so. */
async function recordPublication(
  { db, quotas }: PublicationOptions,
  projectId: string,
  publication: Publication,
): Promise<PublishResult> {
  return await transact(db, async (transaction) => {
    const scope = { transaction, projectId };
    const { generation, basis } = await lockRepository(scope);
    if (basis > publication.basis) return { kind: "outdated" };
    const lostNames = await findLostRefs(scope, publication.updates);
    const isRejected = publication.isAtomic && lostNames.size > 0;
    const updates = isRejected
      ? []
      : publication.updates.filter(({ name }) => !lostNames.has(name));
    const next = generation + 1;
    await writeRefs(scope, updates);
    await refuseNestedNames(scope, updates);
    const isChanged = updates.length > 0 || (!isRejected && publication.head !== undefined);
    if (isChanged) {
      if (publication.pack) await assignPack(scope, { ...publication.pack, generation: next });
      await transaction
        .updateTable("hosted_repositories")
        .set({
          generation: next,
          ...(publication.canLoseCommits ? { basis: next } : {}),
          ...(publication.head === undefined ? {} : { head: publication.head }),
        })
        .where("project_id", "=", projectId)
        .execute();
    }
    const { count, bytes } = await measurePacks(transaction, projectId);
    if (publication.pack && isChanged) {
      if (bytes > publication.maxBytes) throw createTooLargeError(publication.maxBytes);
      await checkQuota(scope, quotas, bytes);
    }
    return { kind: "published", unmovedRefs: [...lostNames], packs: count };
  });
}

/** Replaces all packs with a single pack if the repository is still at `generation`. */
async function replacePacks(
  db: Kysely<Tables>,
  projectId: string,
  { generation, key }: { readonly generation: number; readonly key: string },
): Promise<boolean> {
  return await transact(db, async (transaction) => {
    const scope = { transaction, projectId };
    if ((await lockRepository(scope)).generation !== generation) return false;
    await transaction
      .updateTable("hosted_packs")
      .set({ generation: null, stored_at: sql`now()` })
      .where("project_id", "=", projectId)
      .where("generation", "is not", null)
      .execute();
    await assignPack(scope, { key, generation });
    await transaction
      .updateTable("hosted_repositories")
      .set({ basis: generation })
      .where("project_id", "=", projectId)
      .execute();
    return true;
  });
}

interface Scope {
  readonly transaction: Transaction<Tables>;
  readonly projectId: string;
}

async function lockRepository({ transaction, projectId }: Scope): Promise<RepositoryRow> {
  const row = await transaction
    .selectFrom("hosted_repositories")
    .select(["generation", "basis"])
    .where("project_id", "=", projectId)
    .forUpdate()
    .executeTakeFirst();
  if (row) return row;
  throw createMissingRepositoryError();
}

/** Returns the names of the refs that are not at their expected commits. */
async function findLostRefs(
  { transaction, projectId }: Scope,
  updates: readonly RefUpdate[],
): Promise<ReadonlySet<string>> {
  const expected = updates.flatMap(({ name, expected: commit }) =>
    commit === undefined ? [] : [{ name, commit }],
  );
  const { rows } = await sql<{ name: string }>`
    select wanted.name
    from jsonb_to_recordset(${JSON.stringify(expected)}::text::jsonb)
      as wanted (name text, commit text)
    left join hosted_refs ref on ref.project_id = ${projectId} and ref.name = wanted.name
    where ref.commit is distinct from wanted.commit`.execute(transaction);
  return new Set(rows.map(({ name }) => name));
}

async function writeRefs(
  { transaction, projectId }: Scope,
  updates: readonly RefUpdate[],
): Promise<void> {
  const removed = updates.flatMap(({ name, to }) => (to === null ? [{ name }] : []));
  const moved = updates.flatMap(({ name, to }) => (to === null ? [] : [{ name, commit: to }]));
  if (removed.length > 0) {
    await sql`
      delete from hosted_refs
      using jsonb_to_recordset(${JSON.stringify(removed)}::text::jsonb) as gone (name text)
      where hosted_refs.project_id = ${projectId} and hosted_refs.name = gone.name`.execute(
      transaction,
    );
  }
  if (moved.length > 0) {
    await sql`
      insert into hosted_refs (project_id, name, commit)
      select ${projectId}, name, commit
      from jsonb_to_recordset(${JSON.stringify(moved)}::text::jsonb)
        as moved (name text, commit text)
      on conflict (project_id, name) do update set commit = excluded.commit`.execute(transaction);
  }
}

/** Throws if the refs contain both `a` and `a/b`. Git cannot store both, so no copy could be updated to them. */
async function refuseNestedNames(
  { transaction, projectId }: Scope,
  updates: readonly RefUpdate[],
): Promise<void> {
  if (updates.every(({ to, expected }) => to === null || typeof expected === "string")) return;
  const rows = await transaction
    .selectFrom("hosted_refs")
    .select("name")
    .where("project_id", "=", projectId)
    .execute();
  const names = new Set(rows.map(({ name }) => name));
  for (const name of names) {
    const parts = name.split("/");
    const isNested = parts.some((_, at) => at > 0 && names.has(parts.slice(0, at).join("/")));
    if (!isNested) continue;
    throw new OctavoError(
      "conflict",
      `The name of another branch or tag is the beginning of ${name}; git cannot store both.`,
    );
  }
}

async function assignPack(
  { transaction, projectId }: Scope,
  { key, generation }: { readonly key: string; readonly generation: number },
): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable("hosted_packs")
    .set({ generation })
    .where("key", "=", key)
    .where("project_id", "=", projectId)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 1n) return;
  throw new OctavoError("unavailable", "Storing the new commits took too long; try again.");
}

/** Returns the number of bytes that the quota of the project's plan leaves for its repository. */
async function readAllowance(
  { db, quotas }: PublicationOptions,
  projectId: string,
): Promise<Allowance> {
  const [{ bytes }, plan] = await Promise.all([
    measurePacks(db, projectId),
    readPlan(db, projectId),
  ]);
  const leftBytes = Math.max(0, Math.floor(quotas[plan].repositoryMb * 1e6 - bytes));
  const reason = `the repository would be too large; ${formatAdvice(quotas, plan)}`;
  return { bytes: leftBytes, reason };
}

async function measurePacks(db: Kysely<Tables>, projectId: string) {
  const { rows } = await sql<{ count: number; bytes: number }>`
    select count(*)::int as count, coalesce(sum(bytes), 0)::float8 as bytes
    from hosted_packs
    where project_id = ${projectId} and generation is not null`.execute(db);
  const [measured = { count: 0, bytes: 0 }] = rows;
  return measured;
}

async function readPlan(db: Kysely<Tables>, projectId: string): Promise<OrganizationPlan> {
  const { plan } = await db
    .selectFrom("projects")
    .innerJoin("organizations", "organizations.id", "projects.organization_id")
    .select("plan")
    .where("projects.id", "=", projectId)
    .executeTakeFirstOrThrow(createMissingRepositoryError);
  return plan;
}

async function checkQuota(
  { transaction, projectId }: Scope,
  quotas: Quotas,
  bytes: number,
): Promise<void> {
  const plan = await readPlan(transaction, projectId);
  if (bytes <= quotas[plan].repositoryMb * 1e6) return;
  throw new OctavoError(
    "too_large",
    `The repository would take ${formatMegabytes(bytes)}; ${formatAdvice(quotas, plan)}.`,
  );
}

function formatAdvice(quotas: Quotas, plan: OrganizationPlan): string {
  return (
    `the ${plan} plan allows ${formatMegabytes(quotas[plan].repositoryMb * 1e6)}: remove large files from its ` +
    `history, or ask the operator to raise ${plan}.repositoryMb in OCTAVO_QUOTAS`
  );
}

function formatMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6).toLocaleString("en")} MB`;
}

function createMissingRepositoryError(): OctavoError {
  return new OctavoError("not_found", "There is no such repository.");
}

function createTooLargeError(bytes: number): OctavoError {
  const gigabytes = (bytes / 1024 ** 3).toFixed(1);
  return new OctavoError("too_large", `The repository would be larger than ${gigabytes} GB.`);
}
