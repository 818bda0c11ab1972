import { isSameStat, isSettled, sha256 } from "../../core/index.ts";
import type { PageSource } from "../../load/index.ts";
import type { Site } from "../../site/index.ts";
import { findSameHeads } from "./page-heads.ts";
import { createSiteFiles } from "./site-files.ts";
import type { SiteFiles } from "./site-files.ts";
import type { ReadText } from "./source-index.ts";

/**
 * A page's head is read when an export begins, its text later. Of a file that had changed shortly before, as all of a
 * new checkout have, the stat does not tell whether both are of the same content. Returns such files that are old
 * enough by now and read the same once more.
 */
export async function confirmYoungFiles(
  site: Site,
  read: {
    readonly texts: ReadonlyMap<string, ReadText>;
    readonly sources: ReadonlyMap<string, PageSource>;
    readonly startedMs: number;
  },
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const now = Date.now();
  const young = Array.from(read.texts).filter(
    ([, { stat }]) => !isSettled(stat, read.startedMs) && isSettled(stat, now),
  );
  const { readPage } = createSiteFiles(site.root);
  const expected: PageSource[] = [];
  for (const [file, text] of young) {
    const source = read.sources.get(file);
    if (source && (await hasText(readPage(file), text))) expected.push(source);
  }
  return await findSameHeads(site, expected, signal);
}

async function hasText(
  reading: ReturnType<SiteFiles["readPage"]>,
  { stat, textHash }: ReadText,
): Promise<boolean> {
  // A file that is gone is another one too.
  const found = await reading.catch(() => undefined);
  if (!found || "refused" in found) return false;
  return isSameStat(found.stat, stat) && sha256(found.text) === textHash;
}
