import { setImmediate as nextTurn } from "node:timers/promises";
import type { ExportRun } from "../export-run.ts";
import { mapBounded } from "../map-bounded.ts";
import {
  createPageFiles,
  getSchemaScriptPath,
  type SitePage,
  type MediaCopies,
} from "../../site/index.ts";
import { openPool, computePoolSize, type RenderPool } from "../pool/pool.ts";
import type { RenderChildren } from "../pool/render-children.ts";
import { createSiteFiles, type SiteFiles } from "../source/site-files.ts";
import { sha256 } from "../../core/index.ts";
import type { PageTask } from "../pool/protocol.ts";
import type { ReadText } from "../source/source-index.ts";
import { getMarkdownPath, computePageFingerprint, type BundlePage } from "./place-documents.ts";
import { locateInDescription } from "./locate-in-description.ts";
import { omitDocument, type RenderedPage } from "./rendered-page.ts";
import { renderFailedPage } from "./render-failed-page.ts";
import { readPageTask } from "./page-task.ts";

/** Maximum number of pages in progress: enough that the children stay busy while files are read and written. */
const pagesInFlight = 64;
/** Number of pages to find in the cache before yielding to other tasks: a few milliseconds of work. */
const pagesPerTurn = 512;

interface RenderedPages {
  readonly pages: readonly BundlePage[];
  /** Number of pages that were rendered for this export. */
  readonly rendered: number;
  /** The data that the source index is built from. */
  readonly read: Pick<PageProducer, "texts" | "keys" | "siteKey">;
}

/** A page after the first round, which is either in the bundle or waiting for the remote files that it shows. */
type Draft = { readonly written: BundlePage } | UnfinishedDraft;

interface UnfinishedDraft {
  readonly remoteFiles: readonly string[];
  readonly isRendered: boolean;
}

/** Writes pages as they are produced, and reports progress. */
interface PageWriter {
  /**
   * Writes a page. `isRendered` indicates whether it was rendered for this export, in this round or the first round.
   */
  write(page: SitePage, produced: ProducedPage, isRendered: boolean): BundlePage;
  /** Number of pages that were rendered for this export. */
  readonly rendered: number;
}

interface ProducedPage {
  readonly rendered: RenderedPage;
  /** The same page, after it was cached. Its texts are read from the cache on access rather than kept in memory. */
  readonly stored?: RenderedPage | undefined;
  /** Whether the page comes from the cache. */
  readonly isCached: boolean;
  /** Undefined for a page that could not be rendered. */
  readonly key?: string;
}

/** Takes pages from the cache, or has them rendered and then caches them. */
interface PageProducer {
  /**
   * Produces a page, or a notice if it cannot be rendered. Rejects in the same cases as `RenderPool`, and if a file
   * cannot be opened. Does not return a promise for a cached page without snippets; nearly all pages of a large site
   * are such pages.
   */
  produce(page: SitePage, mediaCopies?: MediaCopies): ProducedPage | Promise<ProducedPage>;
  /** The page files that were read, by path. */
  readonly texts: ReadonlyMap<string, ReadText>;
  /** Keys of pages that depend only on the site and their texts, by file, except keys that are in the source index. */
  readonly keys: ReadonlyMap<string, string>;
  /** See `PageKeys.getSiteKey`. */
  readonly siteKey: string;
}

/**
 * Takes each page from the cache or has the page rendered in a child, and then writes it. If files from other hosts are
 * copied into the bundle, pages that show such files are rendered twice, because the files are not known before the
 * first rendering.
 */
export async function renderPages(
  run: ExportRun,
  children: RenderChildren,
): Promise<RenderedPages> {
  const { settings, source, shared, meter } = run;
  const { media } = shared;
  const { signal } = settings;
  const files = createSiteFiles(source.site.root);
  await using pool = openPool({
    setup: shared.setup,
    readFile: files.readSnippet,
    children,
    workers: settings.workers ?? computePoolSize(source.site.pages.length),
    onChild: (pid) => meter.add(pid),
    signal,
  });
  const producer = createPageProducer(run, { pool, files });
  const writer = createPageWriter(run);
  const createDraft = (page: SitePage, produced: ProducedPage): Draft => {
    const remoteFiles = media === undefined ? [] : produced.rendered.remoteFiles;
    const isRendered = !produced.isCached;
    if (remoteFiles.length > 0) return { remoteFiles, isRendered };
    return { written: writer.write(page, produced, isRendered) };
  };
  const draftPage = (page: SitePage): Draft | Promise<Draft> => {
    const produced = producer.produce(page);
    if (!(produced instanceof Promise)) return createDraft(page, produced);
    return produced.then((rendered) => createDraft(page, rendered));
  };
  const runInSlices = createSlices(signal);
  const drafts = await mapBounded(source.site.pages, pagesInFlight, (page) =>
    runInSlices(() => draftPage(page)),
  );
  await media?.fetchCopies(
    drafts.flatMap((draft) => ("remoteFiles" in draft ? draft.remoteFiles : [])),
  );
  const finish = async (page: SitePage, { remoteFiles, isRendered }: UnfinishedDraft) => {
    signal?.throwIfAborted();
    const produced = await producer.produce(page, media?.copiesOf(remoteFiles));
    return writer.write(page, produced, isRendered || !produced.isCached);
  };
  const pages = await mapBounded(drafts, pagesInFlight, (draft, number) =>
    "written" in draft ? draft.written : finish(source.site.pages[number] as SitePage, draft),
  );
  return { pages, rendered: writer.rendered, read: producer };
}

/**
 * After each slice of calls, lets other tasks run, then checks the signal: checking the signal for each page would take
 * as long as finding the page. Calls that arrive in the meantime wait, so that all calls run in order, which is the
 * order of the pages in the cache.
 */
function createSlices(
  signal: AbortSignal | undefined,
): <Result>(call: () => Result | Promise<Result>) => Result | Promise<Result> {
  let calls = 0;
  let turn: Promise<void> | undefined;
  async function takeTurn(): Promise<void> {
    await nextTurn();
    turn = undefined;
    signal?.throwIfAborted();
  }
  return (call) => {
    if (calls++ % pagesPerTurn === 0) turn ??= takeTurn();
    return turn ? turn.then(call) : call();
  };
}

function createPageWriter({
  settings,
  source,
  bundle,
  shared,
}: Pick<ExportRun, "settings" | "source" | "bundle" | "shared">): PageWriter {
  const fileOf = createPageFiles(source.site);
  const progress = { done: 0, total: source.site.pages.length, rendered: 0 };
  settings.onProgress?.({ ...progress });
  return {
    get rendered() {
      return progress.rendered;
    },
    write(page, { rendered: produced, stored, isCached, key }, isRendered) {
      const material = source.materials.get(page.path);
      const rendered = locateInDescription(page, produced, material);
      const fingerprint = key === undefined ? undefined : computePageFingerprint(key, rendered);
      progress.done += 1;
      if (isRendered) progress.rendered += 1;
      settings.onProgress?.({ ...progress });
      if (isCached) return { page, rendered, fingerprint, isWritten: false };
      bundle.write({ path: fileOf(page.path), content: rendered.html }, fingerprint);
      const markdown = Buffer.concat([rendered.markdown, shared.instructions]);
      bundle.write({ path: getMarkdownPath(page), content: markdown }, fingerprint);
      if (rendered.schemaScript.length > 0) {
        const path = getSchemaScriptPath(page.path);
        bundle.write({ path, content: rendered.schemaScript }, fingerprint);
      }
      // Without a cache, the page's text stays in memory until the files built from all pages are written.
      const keptPage = stored
        ? locateInDescription(page, stored, material)
        : omitDocument(rendered);
      return { page, rendered: keptPage, fingerprint, isWritten: true };
    },
  };
}

function createPageProducer(
  { cache, source, shared, keys }: Pick<ExportRun, "cache" | "source" | "shared" | "keys">,
  { pool, files }: { readonly pool: RenderPool; readonly files: SiteFiles },
): PageProducer {
  const texts = new Map<string, ReadText>();
  const keysOfTexts = new Map<string, string>();
  const siteKey = cache ? keys.getSiteKey() : "";
  const isSameSite = siteKey === source.knownSiteKey;

  const createFailure = (page: SitePage, reason: string): ProducedPage => ({
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

  /** Returns the key of a page if its text need not be read, otherwise undefined. */
  function keyOfUnchanged(page: SitePage, mediaCopies?: MediaCopies): string | undefined {
    const { entries, numberOf } = source.unchanged;
    const number = source.materials.has(page.path) ? undefined : numberOf(page.file);
    if (number === undefined) return undefined;
    const knownKey = isSameSite && !mediaCopies ? entries.keys[number] : undefined;
    if (knownKey) return knownKey;
    const copies = mediaCopies ? { mediaCopies } : {};
    const key = keys.keyOfText({ page, ...copies }, entries.textHashes[number] ?? "");
    if (!mediaCopies) keysOfTexts.set(page.file, key);
    return key;
  }

  async function findOrRender(
    page: SitePage,
    mediaCopies: MediaCopies | undefined,
    knownKey: string | undefined,
  ): Promise<ProducedPage> {
    const cached = knownKey === undefined ? undefined : await findCached(knownKey);
    if (cached) return cached;
    const material = source.materials.get(page.path);
    const read = await readPageTask(page, material, { files, words: shared.setup.words });
    if ("refused" in read) return createFailure(page, read.refused);
    const task = { ...read.task, ...(mediaCopies ? { mediaCopies } : {}) };
    const textHash = sha256(task.source);
    if (read.stat) texts.set(page.file, { stat: read.stat, textHash });
    const key = keys.keyOfText(task, textHash);
    if (material === undefined && !mediaCopies) keysOfTexts.set(page.file, key);
    return (await findCached(key)) ?? (await render(page, task, key));
  }

  async function render(page: SitePage, task: PageTask, key: string): Promise<ProducedPage> {
    const outcome = await pool.render(task);
    if (outcome.type === "failed") return createFailure(page, outcome.reason);
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
