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
  readonly marked: OpenBundle;
}

/** The differences of bundles on this machine, each built when it is first requested. */
export interface Differences extends Disposable {
  /**
   * Opens the difference of two stored zip archives. Concurrent callers share one build. Throws `too_large` if the
   * build takes too much time or memory, and otherwise as `BundleCopies` does.
   */
  open(before: StoredArchive, after: StoredArchive): Promise<OpenDifference>;
}

export interface DifferencesOptions {
  readonly copies: Pick<BundleCopies, "locate">;
  readonly isolation: Isolation<DifferenceOperations>;
  /** Created when it is needed. Several processes can share it, and it can be deleted at any time. */
  readonly folder: string;
  readonly maxBytes: number;
}

/** Part of the file names, so that differences built by another release of the program are not used. */
const format = 1;
/** The maximum number of open differences, whose lists take up to a megabyte each. */
const maxOpen = 20;
const graceMs = 30_000;
/** The number of differences that are built at the same time. */
const maxBuilding = 1;
/** The time after which building a difference that was too large is retried. */
const retryMs = 10 * 60_000;
/** A partial difference of this age was left behind by a dead process. */
const maxPartialAgeMs = 60 * 60_000;

export function createDifferences(options: DifferencesOptions): Differences {
  const { folder, maxBytes } = options;
  /** Most recently used last. */
  const opened = new Map<string, Promise<OpenDifference>>();
  const slots = createSlots(maxBuilding);

  async function openOrBuild(name: string, bundles: Bundles): Promise<OpenDifference> {
    const path = join(folder, `${name}.zip`);
    const marked = await openBundle(path).catch(async () => {
      await slots.run(() => build(options, bundles, path));
      return await openBundle(path);
    });
    const now = new Date();
    // Another process may have removed the file, which stays readable here.
    await utimes(path, now, now).catch(() => undefined);
    await removeOldest(folder, maxBytes);
    return { marked, list: await readDifferenceList(marked) };
  }

  function forget(name: string): void {
    const difference = opened.get(name);
    opened.delete(name);
    void difference?.then(
      ({ marked }) => setTimeout(() => marked.close(), graceMs).unref(),
      () => undefined,
    );
  }

  return {
    async open(before, after) {
      const name = sha256(`${format}\n${before.key}\n${after.key}`).slice(0, 32);
      const difference = opened.get(name) ?? openOrBuild(name, { before, after });
      opened.delete(name);
      opened.set(name, difference);
      const [oldest] = opened.keys();
      if (opened.size > maxOpen && oldest !== undefined) forget(oldest);
      try {
        return await difference;
      } catch (error) {
        const retry = () => void (opened.get(name) === difference && opened.delete(name));
        if (isOctavoError(error, "too_large")) setTimeout(retry, retryMs).unref();
        else retry();
        throw error;
      }
    },
    [Symbol.dispose]() {
      for (const difference of opened.values()) {
        void difference.then(
          ({ marked }) => marked.close(),
          () => undefined,
        );
      }
      opened.clear();
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

/** Removes the least recently used files until the rest fit. */
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
    const isLeft = isPartial && Date.now() - usedAt > maxPartialAgeMs;
    if (isLeft || (!isPartial && total > maxBytes)) await rm(path, { force: true });
  }
}
