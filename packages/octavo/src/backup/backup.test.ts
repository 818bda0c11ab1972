import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { appendFile, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { buffer } from "node:stream/consumers";
import { sql } from "kysely";
import { putEmptyDatabase } from "../../../../test/support/empty-database.ts";
import type { TestPostgres } from "../../../../test/support/postgres.ts";
import {
  startTestedPostgres,
  testOn,
  testedEngine,
} from "../../../../test/support/tested-engine.ts";
import { isOctavoError } from "@octavo/site/core";
import type { Database } from "../db/index.ts";
import { migrationNames } from "../db/testing.ts";
import { openDatabase, readSnapshot } from "../db/index.ts";
import { createFileStorage } from "../storage/index.ts";
import type { Storage } from "../storage/index.ts";
import { openBackup, restoreBackup } from "./backup.ts";
import { writeBackup } from "./backup.ts";

const secret = "0123456789abcdef0123456789abcdef";
const bundle = randomBytes(300_000);
const pack = randomBytes(20_000);

let root: string;
let postgres: TestPostgres | undefined;
let database: Database;
let storage: Storage;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "octavo-backup-"));
  postgres = await startTestedPostgres();
  database = await openEmpty("service");
  storage = createFileStorage(join(root, "service", "storage"));
  await fill();
});
after(async () => {
  await database[Symbol.asyncDispose]();
  await postgres?.[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

async function openEmpty(name: string): Promise<Database> {
  const dataDir = join(root, name);
  await putEmptyDatabase(dataDir);
  return await openDatabase({ dataDir });
}

/** Adds rows with every kind of value, and some files. */
async function fill(): Promise<void> {
  const { kysely } = database;
  await sql`insert into organizations (id, name, plan) values ('org_1', ${'Ünï "quoted" \\ \n'}, 'enterprise')`.execute(
    kysely,
  );
  await kysely
    .insertInto("projects")
    .values({
      id: "prj_1",
      organization_id: "org_1",
      name: "Docs",
      domain: "docs.example.com",
      repository: "local",
      ref: null,
      directory: ".",
      code_host: "local",
      model: null,
      credentials: new Uint8Array([0, 1, 254, 255]),
      sources: JSON.stringify([{ repository: "https://x.example/y", ref: null, directory: "." }]),
    })
    .execute();
  const made = {
    organization_id: "org_1",
    project_id: "prj_1",
    domain: "docs.example.com",
    version: null,
    ref: null,
    commit: null,
    format: "tar.gz",
    paths: JSON.stringify(["a", "ü"]),
  } as const;
  const ids = Array.from({ length: 450 }, (_, number) => `se_${String(number).padStart(26, "0")}`);
  await kysely
    .insertInto("static_export_jobs")
    .values(ids.map((id) => ({ ...made, id, status: "queued" as const })))
    .execute();
  await store("bundles/kept.tar.gz", bundle);
  await kysely
    .updateTable("static_export_jobs")
    .set({
      status: "completed",
      progress: 100,
      completed_at: new Date(),
      bundle_key: "bundles/kept.tar.gz",
      bundle_bytes: bundle.length,
    })
    .where("id", "like", "%01")
    .execute();
  await kysely
    .insertInto("bundles")
    .values({ key: "bundles/kept.tar.gz", stored_at: new Date() })
    .execute();
  await sql`insert into pull_requests
    (project_id, number, title, body, head, base, author, head_commit, base_commit)
    values ('prj_1', 1, 'One', '', 'octavo/x', 'main', 'ada', 'h', 'b')`.execute(kysely);
  await comment(kysely);
  await store("repositories/prj_1/pack", pack);
  await sql`insert into hosted_repositories (project_id, head, generation)
    values ('prj_1', 'refs/heads/main', 7)`.execute(kysely);
  await sql`insert into hosted_packs (key, project_id, generation, bytes)
    values ('repositories/prj_1/pack', 'prj_1', 7, ${pack.length})`.execute(kysely);
}

/** Adds a comment, whose rows the database numbers. */
async function comment(kysely: Database["kysely"]): Promise<void> {
  await sql`insert into pull_request_comments (project_id, number, author, body)
    values ('prj_1', 1, 'ada', 'Well.')`.execute(kysely);
}

async function store(key: string, bytes: Uint8Array): Promise<void> {
  const file = join(root, "to-store");
  await writeFile(file, bytes);
  await storage.put(key, file);
}

async function workDir(): Promise<string> {
  return await mkdtemp(join(root, "work-"));
}

async function backUp(target: Storage, { isWithoutBundles: shouldOmitBundles = false } = {}) {
  return await writeBackup({
    database,
    storage,
    target,
    secret,
    version: "1.2.3",
    workDir: await workDir(),
    shouldOmitBundles,
    onProgress: () => undefined,
  });
}

async function restore(target: Storage, to: Database, newStorage: Storage): Promise<void> {
  await restoreBackup({
    source: target,
    manifest: await openBackup(target, secret),
    database: to,
    storage: newStorage,
    workDir: await workDir(),
    onRowsLoaded: async () => undefined,
    onProgress: () => undefined,
  });
}

/** Returns every row of every table, as text. */
async function everything({ kysely }: Database): Promise<Record<string, string[]>> {
  return await readSnapshot(kysely, async ({ tables, readRows }) => {
    const all: Record<string, string[]> = {};
    for (const table of tables) {
      const lines: string[] = [];
      for await (const batch of readRows(table)) lines.push(...batch);
      all[table] = lines.toSorted((a, b) => (a < b ? -1 : 1));
    }
    return all;
  });
}

const place = (name: string) => createFileStorage(join(root, name));

describe("a backup", () => {
  for (const engine of [testedEngine]) {
    test(`restored into ${engine} holds every row and file, with its types`, async () => {
      const target = place(`for-${engine}`);
      const manifest = await backUp(target);
      assert.equal(manifest.files.length, 2);
      const url = await postgres?.createDatabase();
      await using restored =
        url === undefined
          ? await openEmpty(`restored-${engine}`)
          : await openDatabase({ dataDir: join(root, "none"), url });
      const newStorage = place(`storage-${engine}`);
      await restore(target, restored, newStorage);
      const { hosted_repositories: [repository = ""] = [], ...rest } = await everything(restored);
      const { hosted_repositories: _, ...expected } = await everything(database);
      assert.deepEqual(rest, expected);
      // Copies that nodes still have are older than this.
      assert.ok(JSON.parse(repository).generation > 1_000_000, repository);
      assert.deepEqual(await buffer(await newStorage.read("repositories/prj_1/pack")), pack);
      assert.deepEqual(await buffer(await newStorage.read("bundles/kept.tar.gz")), bundle);
      await comment(restored.kysely);
      await assert.rejects(restore(target, restored, newStorage), (error) =>
        isOctavoError(error, "conflict"),
      );
    });
  }

  testOn("pglite", "without bundles leaves jobs that say that theirs is gone", async () => {
    const target = place("without");
    const { files } = await backUp(target, { isWithoutBundles: true });
    assert.deepEqual(
      files.map(({ key }) => key),
      ["repositories/prj_1/pack"],
    );
    await using restored = await openEmpty("restored-without");
    await restore(target, restored, place("storage-without"));
    const rows = await restored.kysely
      .selectFrom("static_export_jobs")
      .select("bundle_key")
      .where("bundle_key", "is not", null)
      .execute();
    assert.deepEqual(rows, []);
  });

  testOn("pglite", "goes into an empty place, and counts only when it is complete", async () => {
    const target = place("once");
    await assert.rejects(openBackup(target, secret), /no complete backup at this location/);
    await backUp(target);
    await assert.rejects(backUp(target), /This location already contains a backup/);
  });

  testOn("pglite", "is refused with another secret, and when a file of it is damaged", async () => {
    const target = place("damaged");
    await backUp(target);
    await assert.rejects(openBackup(target, `${secret}x`), /encrypted with a different secret/);
    const folder = join(root, "damaged", "files", "bundles");
    for (const name of await readdir(folder)) await appendFile(join(folder, name), "x");
    await using restored = await openEmpty("restored-damaged");
    await assert.rejects(
      restore(target, restored, place("storage-damaged")),
      /files\/bundles\/kept\.tar\.gz is damaged/,
    );
    const { organizations } = await everything(restored);
    assert.deepEqual(organizations, []);
  });

  testOn("pglite", "of a later version is refused", async () => {
    const target = place("later");
    const { migrations } = await backUp(target);
    assert.deepEqual(migrations, migrationNames);
    const file = join(root, "later", "backup.json");
    const manifest = JSON.parse(await readFile(file, "utf8"));
    const later = [...migrations, "9999-later"];
    await writeFile(file, JSON.stringify({ ...manifest, migrations: later }));
    await assert.rejects(openBackup(target, secret), /Version 1\.2\.3 of Octavo wrote this backup/);
  });
});

testOn("postgres", "rows are of one moment, though the service writes meanwhile", async () => {
  const url = await postgres?.createDatabase();
  await using running = await openDatabase({ dataDir: join(root, "none"), url });
  const { kysely } = running;
  let count = 0;
  const insert = async () => {
    count += 1;
    await kysely
      .insertInto("organizations")
      .values({ id: `org_${count}`, name: "x", plan: "free" })
      .execute();
  };
  await insert();
  const seen = await readSnapshot(kysely, async ({ tables, readRows, handle }) => {
    const before = await handle.selectFrom("organizations").selectAll().execute();
    await insert();
    let read = 0;
    for (const table of tables) for await (const batch of readRows(table)) read += batch.length;
    return { before: before.length, read };
  });
  assert.deepEqual(seen, { before: 1, read: 1 });
});
