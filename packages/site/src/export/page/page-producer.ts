import { sha256 } from "../../core/index.ts";
import type { MediaCopies, SitePage } from "../../site/index.ts";
import type { ExportRun } from "../export-run.ts";
import { renderFailedPage } from "./render-failed-page.ts";
import { readPageTask } from "./page-task.ts";
import type { RenderPool } from "../pool/pool.ts";
import type { PageTask } from "../pool/protocol.ts";
import type { RenderedPage } from "./rendered-page.ts";
import type { SiteFiles } from "../source/site-files.ts";
import type { ReadText } from "../source/source-index.ts";

export interface ProducedPage {
  readonly rendered: RenderedPage;
  /** The same page as the cache has it now: it holds nothing that can be read from there. */
  readonly stored?: RenderedPage | undefined;
  /** Whether it is from the cache. */
  readonly isCached: boolean;
  /** Undefined for a page that could not be rendered. */
  readonly key?: string;
}

/** Takes pages from the cache, or has them rendered and caches them. */
export interface PageProducer {
  /**
   * A notice replaces a page that cannot be rendered. Rejects as `RenderPool` does, and if a file cannot be opened. A
   * page that is cached without snippets, as nearly all of a large site, takes no promise.
   */
  produce(page: SitePage, mediaCopies?: MediaCopies): ProducedPage | Promise<ProducedPage>;
  /** The pages' files that were read, by path. */
  readonly texts: ReadonlyMap<string, ReadText>;
  /** Keys of pages that depend on the site and their texts alone, by file, except those that the source index has. */
  readonly keys: ReadonlyMap<string, string>;
  /** `PageKeys.siteKey` */
  readonly siteKey: string;
}

export function createPageProducer(
  { cache, source, shared, keys }: Pick<ExportRun, "cache" | "source" | "shared" | "keys">,
  { pool, files }: { readonly pool: RenderPool; readonly files: SiteFiles },
): PageProducer {
  const texts = new Map<string, ReadText>();
  const keysOfTexts = new Map<string, string>();
  const siteKey = cache ? keys.siteKey() : "";
  const isSameSite = siteKey === source.knownSiteKey;

  const fail = (page: SitePage, reason: string): ProducedPage => ({
    rendered: renderFailedPage(shared.layout, page, reason),
    isCached: false,
  });
  async function findCached(key: string): Promise<ProducedPage | undefined> {
    const rendered = cache?.pages?.get(key);
    if (!rendered || !(await hasCurrentSnippets(rendered, files))) return undefined;
    return { rendered, isCached: true, key };
  }
  return {
    texts,
    keys: keysOfTexts,
    siteKey,
    produce(page, mediaCopies) {
      const key = keyOfUnchanged(page, mediaCopies);
      const rendered = key === undefined ? undefined : cache?.pages?.get(key);
      const hasSnippets = rendered === undefined || Object.keys(rendered.dependencies).length > 0;
      if (key === undefined || hasSnippets) return findOrRender(page, mediaCopies, key);
      return { rendered, isCached: true, key };
    },
  };

  /** Undefined for a page whose text has to be read. */
  function keyOfUnchanged(page: SitePage, mediaCopies?: MediaCopies): string | undefined {
    const { entries, numberOf } = source.unchanged;
    const number = source.materials.has(page.path) ? undefined : numberOf(page.file);
    if (number === undefined) return undefined;
    const known = isSameSite && !mediaCopies ? entries.keys[number] : undefined;
    if (known) return known;
    const copies = mediaCopies ? { mediaCopies } : {};
    const key = keys.keyOfText({ page, ...copies }, entries.textHashes[number] ?? "");
    if (!mediaCopies) keysOfTexts.set(page.file, key);
    return key;
  }

  async function findOrRender(
    page: SitePage,
    mediaCopies: MediaCopies | undefined,
    known: string | undefined,
  ): Promise<ProducedPage> {
    const cached = known === undefined ? undefined : await findCached(known);
    if (cached) return cached;
    const material = source.materials.get(page.path);
    const read = await readPageTask(page, material, { files, words: shared.setup.words });
    if ("refused" in read) return fail(page, read.refused);
    const task = { ...read.task, ...(mediaCopies ? { mediaCopies } : {}) };
    const textHash = sha256(task.source);
    if (read.stat) texts.set(page.file, { stat: read.stat, textHash });
    const key = keys.keyOfText(task, textHash);
    if (material === undefined && !mediaCopies) keysOfTexts.set(page.file, key);
    return (await findCached(key)) ?? (await render(page, task, key));
  }

  async function render(page: SitePage, task: PageTask, key: string): Promise<ProducedPage> {
    const outcome = await pool.render(task);
    if (outcome.type === "failed") return fail(page, outcome.reason);
    const stored = cache?.pages?.put(key, outcome.page);
    return { rendered: outcome.page, stored, isCached: false, key };
  }
}

async function hasCurrentSnippets(
  { dependencies }: RenderedPage,
  files: SiteFiles,
): Promise<boolean> {
  for (const [path, hash] of Object.entries(dependencies)) {
    if ((await files.hashOf(path)) !== hash) return false;
  }
  return true;
}
