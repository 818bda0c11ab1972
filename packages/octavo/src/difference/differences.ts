import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { isOctavoError, sha256 } from "@octavo/site/core";
import { openBundle, type BundleCopies, type OpenBundle, type StoredArchive } from "../bundles/index.ts"; // prettier-ignore
import { createSlots } from "../core/index.ts";
import type { Isolation } from "../isolation/index.ts";
import { readDifferenceList, type DifferenceOperations, type SiteDifference } from "./build-difference.ts"; // prettier-ignore

/** A difference that stays open for at least half a minute. */
export interface OpenDifference {
  readonly list: SiteDifference;
  /** The marked pages, by file, and the former files that they show. */
  readonly bundle: OpenBundle;
}

/** The differences of bundles on this machine, each built when it is first requested. */
export interface Differences extends Disposable {
  /**
   * Opens the difference of two stored zip archives. Concurrent callers share one build. Throws `too_large` if the
   * build takes too much time or memory. Otherwise, throws the same errors as `BundleCopies`.
   */
  open(before: StoredArchive, after: StoredArchive): Promise<OpenDifference>;
}

export interface DifferencesOptions {
  readonly copies: Pick<BundleCopies, "locate">;
  readonly isolation: Isolation<DifferenceOperations>;
  /** The folder of the built differences. Several processes can share it, and it can be deleted at any time. */
  readonly folder: string;
  readonly maxBytes: number;
}

/** A part of the file names, so that differences in the format of another release are not used. */
const formatVersion = 1;
/** The maximum number of open differences, whose lists take up to a megabyte each. */
const maxOpenDifferences = 20;
const closeDelayMs = 30_000;
/** The number of differences that are built at the same time. */
const maxConcurrentBuilds = 1;
/** The time after which building a difference that was too large is retried. */
const retryDelayMs = 10 * 60_000;
/** A partial file that is older than this was left behind by a dead process. */
const maxPartialAgeMs = 60 * 60_000;

export function createDifferences(options: DifferencesOptions): Differences {
  const { folder, maxBytes } = options;
  /** The open differences, in order of their last use. */
  const openDifferences = new Map<string, Promise<OpenDifference>>();
  const slots = createSlots(maxConcurrentBuilds);

  async function openOrBuild(name: string, bundles: Bundles): Promise<OpenDifference> {
    const path = join(folder, `${name}.zip`);
    const bundle = await openBundle(path).catch(async () => {
      await slots.run(() => build(options, bundles, path));
      return await openBundle(path);
    });
    const now = new Date();
    // Another process may have removed the file, which stays readable here because it is open.
    await utimes(path, now, now).catch(() => undefined);
    await removeOldest(folder, maxBytes);
    return { bundle, list: await readDifferenceList(bundle) };
  }

  function forget(name: string): void {
    const difference = openDifferences.get(name);
    openDifferences.delete(name);
    void difference?.then(
      ({ bundle }) => setTimeout(() => bundle.close(), closeDelayMs).unref(),
      () => undefined,
    );
  }

  return {
    async open(before, after) {
      const name = sha256(`${formatVersion}\n${before.key}\n${after.key}`).slice(0, 32);
      const difference = openDifferences.get(name) ?? openOrBuild(name, { before, after });
      openDifferences.delete(name);
      openDifferences.set(name, difference);
      const [oldest] = openDifferences.keys();
      if (openDifferences.size > maxOpenDifferences && oldest !== undefined) forget(oldest);
      try {
        return await difference;
      } catch (error) {
        const allowRetry = () =>
          void (openDifferences.get(name) === difference && openDifferences.delete(name));
        if (isOctavoError(error, "too_large")) setTimeout(allowRetry, retryDelayMs).unref();
        else allowRetry();
        throw error;
      }
    },
    [Symbol.dispose]() {
      for (const difference of openDifferences.values()) {
        void difference.then(
          ({ bundle }) => bundle.close(),
          () => undefined,
        );
      }
      openDifferences.clear();
    },
  };
}

interface Bundles {
  readonly before: StoredArchive;
  readonly after: StoredArchive;
}

async function build(
  { copies, isolation, folder }: DifferencesOptions,
  bundles: Bundles,
  path: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const [before, after] = await Promise.all([
    copies.locate(bundles.before),
    copies.locate(bundles.after),
  ]);
  const outFile = join(folder, `${randomUUID()}.part`);
  try {
    await isolation.run((program) =>
      // The calls after each page show that the process is not stuck.
      program.buildDifference({ before, after, outFile, onPage: async () => undefined }),
    );
    await rename(outFile, path);
  } catch (error) {
    await rm(outFile, { force: true });
    throw error;
  }
}

/** Removes the least recently used differences until the remaining ones fit into `maxBytes`. */
async function removeOldest(folder: string, maxBytes: number): Promise<void> {
  const names = await readdir(folder);
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const stats = await stat(path).catch(() => undefined);
      return { path, bytes: stats?.size ?? 0, usedAt: stats?.mtimeMs ?? 0 };
    }),
  );
  let total = 0;
  for (const { path, bytes, usedAt } of files.toSorted((one, other) => other.usedAt - one.usedAt)) {
    const isPartial = !path.endsWith(".zip");
    if (!isPartial) total += bytes;
    const isAbandoned = isPartial && Date.now() - usedAt > maxPartialAgeMs;
    if (isAbandoned || (!isPartial && total > maxBytes)) await rm(path, { force: true });
  }
}
