import { randomUUID } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import type { RenderedPage } from "../bundle.ts";

/**
 * Rendered pages by a hash of what they depend on. It can be lost at any time, and where it cannot be
 * written nothing is kept: a page is then rendered again. No method throws for that.
 */
export interface RenderCache {
  get(key: string): Promise<RenderedPage | undefined>;
  put(key: string, page: RenderedPage): Promise<void>;
  /** Removes what no export has used for a month; at most once a day. */
  prune(now?: number): Promise<void>;
}

const dayMs = 24 * 60 * 60 * 1_000;
const keptMs = 30 * dayMs;

/**
 * A cache in a folder, one file for each page, safe for several processes at once: files appear
 * whole, and the same key always holds the same page.
 */
export function createRenderCache(folder: string): RenderCache {
  const fileOf = (key: string) => join(folder, key.slice(0, 2), key.slice(2));
  return {
    async get(key) {
      try {
        const bytes = await readFile(fileOf(key));
        await touch(fileOf(key), Date.now());
        return deserialize(bytes) as RenderedPage;
      } catch {
        return undefined;
      }
    },
    async put(key, page) {
      const file = fileOf(key);
      const partial = `${file}.${randomUUID()}`;
      try {
        await mkdir(join(folder, key.slice(0, 2)), { recursive: true });
        await writeFile(partial, serialize(page));
        await rename(partial, file);
      } catch {
        // A full disk, a home that nobody may write to: the page is rendered again next time.
        await rm(partial, { force: true }).catch(() => undefined);
      }
    },
    async prune(now = Date.now()) {
      const stamp = join(folder, "pruned");
      const last = await stat(stamp).catch(() => undefined);
      if (last && now - last.mtimeMs < dayMs) return;
      try {
        await writeFile(stamp, "");
      } catch {
        return;
      }
      for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
        if (entry.isFile() && entry.name !== "pruned") {
          await removeUnused(join(entry.parentPath, entry.name), now - keptMs);
        }
      }
    },
  };
}

/** Says that a kept file was used. A day's grace saves a write for each page of each export. */
export async function touch(file: string, now: number): Promise<void> {
  const { mtimeMs } = await stat(file);
  if (now - mtimeMs > dayMs) await utimes(file, now / 1_000, now / 1_000);
}

async function removeUnused(file: string, beforeMs: number): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found && found.mtimeMs < beforeMs) await rm(file, { force: true });
}
