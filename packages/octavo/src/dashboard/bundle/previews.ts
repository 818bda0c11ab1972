import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { OctavoError, resolveInside, sha256 } from "@octavo/site/core";
import type { StoredBundle } from "../../jobs/index.ts";
import { readToken, signToken } from "../session/token.ts";
import type { TokenOptions } from "../session/token.ts";
import type { Storage } from "../../storage/index.ts";
import { readArchive } from "./archive-files.ts";

export interface PreviewsOptions {
  readonly storage: Storage;
  readonly cacheDir: string;
  /** Signs the addresses of previews. */
  readonly key: Buffer;
}

/** Which session may view which export. */
export interface PreviewAccess {
  readonly sessionId: string;
  readonly jobId: string;
}

/**
 * Bundles that people view in the browser. Their content is untrusted: it runs outside the dashboard's origin
 * and so without its cookie; a signed token in the address grants access instead.
 */
export interface Previews {
  sign(pass: PreviewAccess): string;
  /** Undefined if the token was not signed here or is older than an hour. */
  read(token: string): PreviewAccess | undefined;
  /**
   * The folder with the unpacked bundle. Throws `too_large`, and `unavailable` if the archive is damaged.
   */
  open(bundle: StoredBundle): Promise<string>;
}

const maxAgeSeconds = 60 * 60;
/** Unpacked bundles on disk; the least recently used is removed first. */
const maxFolders = 8;
const maxUnpackedBytes = 2 * 1024 * 1024 * 1024;
const maxFiles = 200_000;

export function createPreviews({ storage, cacheDir, key }: PreviewsOptions): Previews {
  const token: TokenOptions = { key, use: "preview" };
  const folder = join(cacheDir, "previews");
  const unpacking = new Map<string, Promise<string>>();

  async function openFolder(bundle: StoredBundle): Promise<string> {
    const target = join(folder, sha256(bundle.key).slice(0, 32));
    if (await touch(target)) return target;
    await mkdir(folder, { recursive: true });
    await removeOldest(folder, maxFolders - 1);
    const partial = await mkdtemp(join(folder, "part-"));
    try {
      await unpack(storage, bundle, partial);
      await rename(partial, target).catch(async (error: NodeJS.ErrnoException) => {
        // Another process was faster; the bytes are the same.
        if (!(await touch(target))) throw error;
      });
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
    return target;
  }

  return {
    sign: ({ sessionId, jobId }) => signToken(token, [sessionId, jobId], maxAgeSeconds),
    read(text) {
      const [sessionId, jobId] = readToken(token, text) ?? [];
      return sessionId === undefined || jobId === undefined ? undefined : { sessionId, jobId };
    },
    open(bundle) {
      const running = unpacking.get(bundle.key);
      if (running) return running;
      const opening = openFolder(bundle).finally(() => unpacking.delete(bundle.key));
      unpacking.set(bundle.key, opening);
      return opening;
    },
  };
}

/** Whether the folder exists; marks it as used now. */
async function touch(path: string): Promise<boolean> {
  const now = new Date();
  return await utimes(path, now, now).then(
    () => true,
    () => false,
  );
}

async function removeOldest(folder: string, maxCount: number): Promise<void> {
  const paths = (await readdir(folder)).map((name) => join(folder, name));
  const aged = await Promise.all(paths.map(async (path) => ({ path, usedAt: await usedAt(path) })));
  const newestFirst = aged.toSorted((one, other) => other.usedAt - one.usedAt);
  for (const { path } of newestFirst.slice(maxCount))
    await rm(path, { recursive: true, force: true });
}

/** Milliseconds; 0 for a folder that another process has just removed. */
async function usedAt(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

async function unpack(storage: Storage, bundle: StoredBundle, target: string): Promise<void> {
  let [files, bytes] = [0, 0];
  for await (const file of readArchive(storage, bundle)) {
    files += 1;
    bytes += file.bytes;
    if (files > maxFiles || bytes > maxUnpackedBytes) {
      throw new OctavoError("too_large", "The bundle is too large for a preview; download it.");
    }
    const path = resolveInside(target, file.path);
    await mkdir(dirname(path), { recursive: true });
    await pipeline(await file.open(), createWriteStream(path, { flags: "wx" }));
  }
}
