import { randomUUID } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { CheckoutProject } from "../ports.ts";

/** A site in a repository. */
type CheckedOutSite = Pick<CheckoutProject, "id" | "repository" | "directory">;

/**
 * Folders of finished checkouts, kept so that a project's next build writes only the files that changed. Only one build
 * at a time uses a folder, because `take` moves it. Concurrent builds of the same site start without one.
 */
export interface KeptCheckouts {
  /** Moves the site's kept folder to `path`, which must not exist. Does nothing if the site has no kept folder. */
  take(site: CheckedOutSite, path: string): Promise<void>;
  /**
   * Moves `path` to the kept folders, and removes the least recently used folders if they take too much space. Leaves
   * the folder at `path` if it is too large, or if another build's folder is already kept.
   */
  keep(site: CheckedOutSite, path: string, diskBytes: number): Promise<void>;
}

interface KeptCheckoutsOptions {
  /** A folder of this process on the same file system as its work folders. Created when it is needed. */
  readonly folder: string;
  /** The maximum size of all kept folders. */
  readonly maxBytes: number;
}

/** Keeps checkouts until this process ends, which must then remove `folder`. */
export function createKeptCheckouts({ folder, maxBytes }: KeptCheckoutsOptions): KeptCheckouts {
  /** The kept folders by site, the least recently used first. */
  const keptFolders = new Map<string, { readonly path: string; readonly diskBytes: number }>();

  /**
   * Forgets the least recently used folders until the remaining folders fit. Returns the paths of the forgotten
   * folders.
   */
  function forgetExcess(): string[] {
    let bytes = 0;
    for (const { diskBytes } of keptFolders.values()) bytes += diskBytes;
    const forgottenPaths: string[] = [];
    for (const [key, { path, diskBytes }] of keptFolders) {
      if (bytes <= maxBytes) break;
      bytes -= diskBytes;
      keptFolders.delete(key);
      forgottenPaths.push(path);
    }
    return forgottenPaths;
  }

  return {
    async take(site, path) {
      const key = formatKey(site);
      const keptFolder = keptFolders.get(key);
      if (!keptFolder) return;
      keptFolders.delete(key);
      // Without the folder, the checkout writes all files.
      await rename(keptFolder.path, path).catch(() => undefined);
    },
    async keep(site, path, diskBytes) {
      const key = formatKey(site);
      if (keptFolders.has(key) || diskBytes > maxBytes) return;
      const target = join(folder, randomUUID());
      await mkdir(folder, { recursive: true });
      await rename(path, target);
      const unused = keptFolders.has(key) ? [target] : [];
      if (unused.length === 0) keptFolders.set(key, { path: target, diskBytes });
      unused.push(...forgetExcess());
      await Promise.all(unused.map((each) => rm(each, { recursive: true, force: true })));
    },
  };
}

function formatKey({ id, repository, directory }: CheckedOutSite): string {
  return JSON.stringify([id, repository, directory]);
}
