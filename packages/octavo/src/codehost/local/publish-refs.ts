import { sql } from "kysely";
import type { Kysely, Transaction } from "kysely";
import { OctavoError } from "@octavo/site/core";
import { transact } from "../../db/index.ts";
import type { Quotas } from "../../core/index.ts";
import type { Tables } from "../../db/index.ts";
import type { Publication, Published, RefUpdate } from "../../git/index.ts";

interface RepositoryRow {
  readonly generation: number;
  readonly basis: number;
}

export interface PublishOptions {
  readonly db: Kysely<Tables>;
  readonly quotas: Quotas;
}

/** Moves refs of a repository, one caller at a time, in one transaction. */
export async function publish(
  { db, quotas }: PublishOptions,
  projectId: string,
  publication: Publication,
): Promise<Published> {
  return await transact(db, async (transaction) => {
    const scope = { transaction, projectId };
    const { generation, basis } = await lockRepository(scope);
    if (basis > publication.basis) return { kind: "outdated" };
    const lost = await findLost(scope, publication.updates);
    const isNone = publication.isAtomic && lost.size > 0;
    const updates = isNone ? [] : publication.updates.filter(({ name }) => !lost.has(name));
    const next = generation + 1;
    await writeRefs(scope, updates);
    await refuseNestedNames(scope, updates);
    const isChanged = updates.length > 0 || (!isNone && publication.head !== undefined);
    if (isChanged) {
      if (publication.pack) await usePack(scope, { ...publication.pack, generation: next });
      await transaction
        .updateTable("hosted_repositories")
        .set({
          generation: next,
          ...(publication.losesCommits ? { basis: next } : {}),
          ...(publication.head === undefined ? {} : { head: publication.head }),
        })
        .where("project_id", "=", projectId)
        .execute();
    }
    const { count, bytes } = await measurePacks(scope);
    if (publication.pack && isChanged) {
      if (bytes > publication.maxBytes) throw tooLarge(publication.maxBytes);
      await checkQuota(scope, quotas, bytes);
    }
    return { kind: "published", lost: [...lost], packs: count };
  });
}

/** Puts one pack in place of all others, if the refs are those of `generation`. */
export async function replacePacks(
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
    await usePack(scope, { key, generation });
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
  throw new OctavoError("not_found", "There is no such repository.");
}

/** Names of refs that are not where they are expected. */
async function findLost(
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

/**
 * Git cannot have both `a` and `a/b`, and no copy could be brought up to such refs.
 */
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
    throw new OctavoError("conflict", `The name of another branch is part of ${name}.`);
  }
}

async function usePack(
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
  throw new OctavoError("unavailable", "The new commits took too long to store; try again.");
}

async function measurePacks({ transaction, projectId }: Scope) {
  const { rows } = await sql<{ count: number; bytes: number }>`
    select count(*)::int as count, coalesce(sum(bytes), 0)::float8 as bytes
    from hosted_packs
    where project_id = ${projectId} and generation is not null`.execute(transaction);
  const [measured = { count: 0, bytes: 0 }] = rows;
  return measured;
}

async function checkQuota(
  { transaction, projectId }: Scope,
  quotas: Quotas,
  bytes: number,
): Promise<void> {
  const { plan } = await transaction
    .selectFrom("projects")
    .innerJoin("organizations", "organizations.id", "projects.organization_id")
    .select("plan")
    .where("projects.id", "=", projectId)
    .executeTakeFirstOrThrow();
  const max = quotas[plan].repositoryMb;
  if (bytes <= max * 1e6) return;
  const [size, allowed] = [bytes / 1e6, max].map((megabytes) =>
    Math.ceil(megabytes).toLocaleString("en"),
  );
  throw new OctavoError(
    "too_large",
    `The repository would take ${size} MB, and the plan ${plan} allows ${allowed} MB; remove large files from its ` +
      `history, or ask the operator to raise ${plan}.repositoryMb in OCTAVO_QUOTAS.`,
  );
}

function tooLarge(bytes: number): OctavoError {
  const gigabytes = (bytes / 1024 ** 3).toFixed(1);
  return new OctavoError("too_large", `The repository would be larger than ${gigabytes} GB.`);
}
