import { lstat, readdir, utimes } from "node:fs/promises";
import { join, relative } from "node:path";
import { openDatabase } from "../../packages/octavo/src/db/index.ts";
import { removeExpired } from "../../packages/octavo/src/jobs/index.ts";
import { createS3Storage } from "../../packages/octavo/src/storage/index.ts";
import { startCodeHostNode } from "../support/code-host-node.ts";
import type { SupervisedNode } from "./node-process.ts";
import type { World } from "./world.ts";

const dayMs = 24 * 60 * 60 * 1000;
/** By this time, no process is still working on files that were not stored. */
const lateMs = 2 * dayMs;
const longAgo = new Date(Date.now() - lateMs);
const leftoverPattern =
  /^work\/.|^git\/temporary\/.|\.lock$|\.lock\.removal$|(?:^|\/)tmp_|\.(?:removed|discarded)-/;

/**
 * Finds files that ended nodes leave behind after a restart with everything on their disks grown old: in work
 * folders, staging, locks and files that are not whole.
 */
export async function findLeftFiles(world: World): Promise<string[]> {
  const left: string[] = [];
  const end = async (node: SupervisedNode) => {
    const code = await node.end();
    if (code !== 0) left.push(`${node.name} ended with ${code} when it was told to end.`);
  };
  await Promise.all(world.nodes.map(end));
  for (const { data } of world.nodes) await growOld(data);
  await Promise.all(world.nodes.map((node) => node.start()));
  await Promise.all(world.nodes.map(end));
  for (const { name, data } of world.nodes) {
    const files = await readdir(data, { recursive: true, withFileTypes: true });
    const paths = files.map((file) => relative(data, join(file.parentPath, file.name)));
    left.push(
      ...paths.filter((path) => leftoverPattern.test(path)).map((path) => `${name}: ${path}`),
    );
  }
  return left;
}

async function growOld(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    if (found && !found.isSymbolicLink()) await utimes(path, longAgo, longAgo);
  }
}

/** Finds stored objects that no row names after retention has run in the future. */
export async function findLeftObjects(world: World): Promise<string[]> {
  await using database = await openDatabase({ dataDir: "/nonexistent", url: world.databaseUrl });
  const { bucket, region, url: endpoint, credentials, objects, uploads } = world.storage;
  process.env["AWS_ACCESS_KEY_ID"] = credentials.accessKeyId;
  process.env["AWS_SECRET_ACCESS_KEY"] = credentials.secretAccessKey;
  const place = { bucket, region, endpoint, prefix: "octavo" };
  const storage = await createS3Storage({ ...place, isPathStyle: true, hasDirectLinks: false });
  const now = new Date(Date.now() + lateMs);
  await removeExpired({ database, storage, bundleDays: 365, jobDays: 365, auditDays: 365, now });
  const folder = join(world.folder, "cleaner");
  await using node = await startCodeHostNode({ database, packs: storage, folder });
  await node.hosting.removeUnusedPacks(now);
  const { kysely } = database;
  const packs = await kysely.selectFrom("hosted_packs").select("key").execute();
  const bundles = await kysely.selectFrom("bundles").select("key").execute();
  const known = new Set([...packs, ...bundles].map(({ key }) => `octavo/${key}`));
  const stored = [...objects.keys()];
  return [
    ...stored
      .filter((key) => /^octavo\/(?:bundles|repositories)\//.test(key) && !known.has(key))
      .map((key) => `The object ${key} is nobody's.`),
    ...packs
      .filter(({ key }) => !objects.has(`octavo/${key}`))
      .map(({ key }) => `The pack ${key} is not there.`),
    ...[...uploads.values()].map(({ key }) => `The upload of ${key} has not ended.`),
  ];
}
