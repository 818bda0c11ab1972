import { availableParallelism } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { sha256 } from "../core/index.ts";
import type { RenderedPage } from "./rendered-page.ts";
import type { RenderCache } from "./cache/render-cache.ts";
import type { MediaCopies, PageMaterial, Site, SitePage } from "../site/index.ts";
import type { RemoteMedia } from "./media/remote-media.ts";
import { mostChildren, openPool } from "./pool/pool.ts";
import type { RenderPool } from "./pool/pool.ts";
import type { Layout } from "../theme/index.ts";
import type { BundleFolder } from "./bundle-folder.ts";
import { failedPage } from "./failed-page.ts";
import type { KnownSources, SeenText } from "./known-sources.ts";
import { mapBounded } from "./map-bounded.ts";
import { createPageKeys } from "./page-key.ts";
import type { PageKeys } from "./page-key.ts";
import { remoteTargets } from "./page-media.ts";
import { readPageTask } from "./page-task.ts";
import { placeInDescription } from "./place-in-description.ts";
import { htmlFile, identityOf, markdownFile } from "./place-documents.ts";
import type { MadePage } from "./place-documents.ts";
import type { RenderOptions } from "./render-options.ts";
import { generator } from "./shared-parts.ts";
import type { SharedParts } from "./shared-parts.ts";
import { withoutDocument } from "./without-document.ts";
import { createSiteFiles } from "./site-files.ts";
import type { SiteFiles } from "./site-files.ts";

/**
 * A child needs about 1 s of CPU to load its grammars and to become fast, as much as some 400 pages need then: a
 * small site is cheaper with one, and hardly later.
 */
const pagesPerChild = 400;

/**
 * One core is left to this process, which reads and writes what the children work on. On two cores a second child
 * makes 3,400 pages cost a third more, most of it in the kernel, and no earlier.
 */
function workersFor(pages: number): number {
  const free = Math.max(1, availableParallelism() - 1);
  return Math.min(free, mostChildren, 1 + Math.floor(pages / pagesPerChild));
}

/** Pages under way at once; enough to keep the children busy while files are read and written. */
const pagesInFlight = 64;
/** Pages found in the cache before other work gets its turn: a few milliseconds. */
const sliceLength = 64;

interface PageStage {
  readonly layout: Layout;
  readonly materials: ReadonlyMap<string, PageMaterial>;
  readonly files: SiteFiles;
  readonly keys: PageKeys;
  readonly cache: RenderCache | undefined;
  readonly pool: RenderPool;
  readonly known: KnownSources;
  /** Texts that were read, by file. */
  readonly seen: Map<string, SeenText>;
}

/**
 * Takes each page from the cache or has it rendered in a child, and then writes it. A page that shows something
 * from other hosts, where that is brought into the bundle, is rendered a second time when it is known what came.
 */
export async function renderPages(input: {
  readonly site: Site;
  readonly materials: PageStage["materials"];
  readonly bundle: BundleFolder;
  readonly shared: SharedParts;
  readonly media: RemoteMedia | undefined;
  readonly cache: RenderCache | undefined;
  readonly known: KnownSources;
  /** Of the renderer's program. */
  readonly version: string;
  /** Ends the Markdown of each page. */
  readonly instructions: Uint8Array;
  readonly options: RenderOptions;
}): Promise<RenderedPages> {
  const { site, materials, bundle, shared, media, cache, known, version } = input;
  const { instructions, options } = input;
  const { remoteMedia, mediaCopies } = shared;
  const base = options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl };
  const files = createSiteFiles(site.root);
  const isForCheck = options.outDir === undefined;
  await using pool = openPool({
    setup: { site, generator, isForCheck, remoteMedia, mediaCopies, ...base },
    readFile: files.readSnippet,
    workers: options.workers ?? workersFor(site.pages.length),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  // Pages rendered for a check are no documents: they are kept under keys of their own.
  const use = isForCheck ? `check ${version}` : version;
  const keys = createPageKeys(site, { version: use, remoteMedia, mediaCopies, ...base });
  const seen = new Map<string, SeenText>();
  const { layout } = shared;
  const stage: PageStage = { layout, materials, files, keys, cache, pool, known, seen };

  const progress = { done: 0, total: site.pages.length, rendered: 0 };
  options.onProgress?.({ ...progress });
  function land({ page: made, isFresh, isKept, key }: ProducedPage, page: SitePage): MadePage {
    const rendered = placeInDescription(page, made, materials.get(page.path));
    const identity = key === undefined ? undefined : identityOf(key, rendered);
    progress.done += 1;
    if (isFresh) progress.rendered += 1;
    options.onProgress?.({ ...progress });
    if (isKept) return { page, rendered, identity, isWritten: false };
    bundle.write({ path: htmlFile(page), content: rendered.html }, identity);
    const twin = Buffer.concat([rendered.markdown, instructions]);
    bundle.write({ path: markdownFile(page), content: twin }, identity);
    return { page, rendered: withoutDocument(rendered), identity, isWritten: true };
  }
  let lookedAt = 0;
  const drafts = await mapBounded(site.pages, pagesInFlight, async (page): Promise<PageDraft> => {
    if (++lookedAt % sliceLength === 0) await nextTurn();
    options.signal?.throwIfAborted();
    const produced = await producePage(stage, page);
    const shown = media === undefined ? [] : remoteTargets(produced.page.references);
    const { isFresh } = produced;
    return shown.length === 0 ? { made: land(produced, page) } : { shown, isFresh };
  });
  // What pages show from other hosts is known now that all were rendered once.
  await media?.bring(drafts.flatMap(({ shown = [] }) => shown));
  const entries = site.pages.map((page, index) => ({ page, draft: drafts[index] ?? {} }));
  const pages = await mapBounded(entries, pagesInFlight, async ({ page, draft }) => {
    if (draft.made !== undefined) return draft.made;
    options.signal?.throwIfAborted();
    const produced = await producePage(stage, page, media?.copiesOf(draft.shown ?? []));
    const isFresh = produced.isFresh || draft.isFresh === true;
    return land({ ...produced, isFresh }, page);
  });
  return { pages, rendered: progress.rendered, seen };
}

interface RenderedPages {
  readonly pages: readonly MadePage[];
  /** How many were rendered for this export. */
  readonly rendered: number;
  /** Texts of pages that were read for it, by file. */
  readonly seen: ReadonlyMap<string, SeenText>;
}

/** A page that is in the bundle, or the addresses of what it shows from other hosts, with which it is made again. */
interface PageDraft {
  readonly made?: MadePage;
  readonly shown?: readonly string[];
  readonly isFresh?: boolean;
}

interface ProducedPage {
  readonly page: RenderedPage;
  /** It was rendered for this export. */
  readonly isFresh: boolean;
  /** It comes from the cache, as it is now. */
  readonly isKept: boolean;
  /** Undefined of a page that could not be rendered. */
  readonly key?: string;
}

async function producePage(
  stage: PageStage,
  page: SitePage,
  mediaCopies?: MediaCopies,
): Promise<ProducedPage> {
  const fail = (reason: string): ProducedPage => ({
    page: failedPage(stage.layout, page, reason),
    isFresh: true,
    isKept: false,
  });
  const copies = mediaCopies ? { mediaCopies } : {};
  const material = stage.materials.get(page.path);
  const known = material === undefined ? stage.known.get(page.file) : undefined;
  if (known) {
    const found = await findKept(stage, stage.keys.keyOfText({ page, ...copies }, known.textHash));
    if (found) return found;
  }
  const read = await readPageTask(page, material, stage.files);
  if ("refused" in read) return fail(read.refused);
  const task = { ...read.task, ...copies };
  const textHash = sha256(task.source);
  if (read.stamp) stage.seen.set(page.file, { stamp: read.stamp, textHash });
  const key = stage.keys.keyOfText(task, textHash);
  const found = await findKept(stage, key);
  if (found) return found;
  const outcome = await stage.pool.render(task);
  if (outcome.type === "failed") return fail(outcome.reason);
  stage.cache?.put(key, outcome.page);
  return { page: outcome.page, isFresh: true, isKept: false, key };
}

async function findKept(
  { cache, files }: PageStage,
  key: string,
): Promise<ProducedPage | undefined> {
  const page = cache?.get(key);
  if (!page || !(await isCurrent(page, files))) return undefined;
  return { page, isFresh: false, isKept: true, key };
}

/** Whether every snippet that a kept page was made of is still the same. */
async function isCurrent({ dependencies }: RenderedPage, files: SiteFiles): Promise<boolean> {
  for (const [path, hash] of Object.entries(dependencies)) {
    if ((await files.hashOf(path)) !== hash) return false;
  }
  return true;
}
