import { randomUUID } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { CheckoutProject } from "../ports.ts";

/** A site in a repository. */
type CheckedOutSite = Pick<CheckoutProject, "id" | "repository" | "directory">;

/**
 * Folders of finished checkouts, kept so that a project's next build writes only the files that changed. A folder is in
 * use by one build at a time, because it is moved to that build. Concurrent builds of one site begin with no folder.
 */
export interface KeptCheckouts {
  /** Moves the site's kept folder to `path`, which must not exist. Does nothing if there is none. */
  take(site: CheckedOutSite, path: string): Promise<void>;
  /**
   * Moves `path` to the kept folders, and removes the least recently used ones if they take too much space. Leaves it
   * where it is if another build's folder is already kept, or if it is too large.
   */
  keep(site: CheckedOutSite, path: string, diskBytes: number): Promise<void>;
}

interface KeptCheckoutsOptions {
  /** A folder of this process on the same file system as its work folders. Created when it is needed. */
  readonly folder: string;
  /** The maximum size of all kept folders. */
  readonly maxBytes: number;
}

/** Keeps checkouts for as long as this process runs; it must remove `folder` when it ends. */
export function createKeptCheckouts({ folder, maxBytes }: KeptCheckoutsOptions): KeptCheckouts {
  /** By site; the least recently used comes first. */
  const kept = new Map<string, { readonly path: string; readonly diskBytes: number }>();

  /** Forgets the least recently used folders until the rest fit. Returns their paths. */
  function forgetExcess(): string[] {
    let bytes = 0;
    for (const { diskBytes } of kept.values()) bytes += diskBytes;
    const forgotten: string[] = [];
    for (const [key, { path, diskBytes }] of kept) {
      if (bytes <= maxBytes) break;
      bytes -= diskBytes;
      kept.delete(key);
      forgotten.push(path);
    }
    return forgotten;
  }

  return {
    async take(site, path) {
      const key = formatKey(site);
      const found = kept.get(key);
      if (!found) return;
      kept.delete(key);
      // Without the folder, the checkout writes all files.
      await rename(found.path, path).catch(() => undefined);
    },
    async keep(site, path, diskBytes) {
      const key = formatKey(site);
      if (kept.has(key) || diskBytes > maxBytes) return;
      const target = join(folder, randomUUID());
      await mkdir(folder, { recursive: true });
      await rename(path, target);
      const unused = kept.has(key) ? [target] : [];
      if (unused.length === 0) kept.set(key, { path: target, diskBytes });
      unused.push(...forgetExcess());
      await Promise.all(unused.map((each) => rm(each, { recursive: true, force: true })));
    },
  };
}

function formatKey({ id, repository, directory }: CheckedOutSite): string {
  return JSON.stringify([id, repository, directory]);
}
