import { setImmediate as nextTurn } from "node:timers/promises";
import type { ExportRun } from "../export-run.ts";
import { mapBounded } from "../map-bounded.ts";
import { createPageFiles, type SitePage } from "../../site/index.ts";
import { openPool, poolSizeFor } from "../pool/pool.ts";
import type { RenderChildren } from "../pool/render-children.ts";
import { createSiteFiles } from "../source/site-files.ts";
import { createPageProducer, type PageProducer, type ProducedPage } from "./page-producer.ts";
import { markdownFile, pageFingerprint, type BundlePage } from "./place-documents.ts";
import { locateInDescription } from "./locate-in-description.ts";
import { withoutDocument } from "./rendered-page.ts";

/** Enough to keep the children busy while files are read and written. */
const pagesInFlight = 64;
/** Pages found in the cache before other work gets a turn: a few milliseconds. */
const sliceLength = 512;

interface RenderedPages {
  readonly pages: readonly BundlePage[];
  /** How many were rendered for this export. */
  readonly rendered: number;
  /** What the source index is made of. */
  readonly read: Pick<PageProducer, "texts" | "keys" | "siteKey">;
}

/** A page after the first round: in the bundle, or waiting for what it shows from other hosts. */
type Draft = { readonly written: BundlePage } | UnfinishedDraft;

interface UnfinishedDraft {
  readonly shown: readonly string[];
  readonly isRendered: boolean;
}

/** Writes pages as they are produced, and reports the progress. */
interface PageWriter {
  /** `isRendered`: the page was rendered for this export, now or in an earlier round. */
  write(page: SitePage, produced: ProducedPage, isRendered: boolean): BundlePage;
  /** How many pages were rendered for this export. */
  readonly rendered: number;
}

/**
 * Takes each page from the cache or has it rendered in a child, then writes it. If files of other hosts are copied into
 * the bundle, pages that show some are rendered twice: what they show is known after the first time.
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
    workers: settings.workers ?? poolSizeFor(source.site.pages.length),
    onChild: (pid) => meter.add(pid),
    signal,
  });
  const producer = createPageProducer(run, { pool, files });
  const writer = createPageWriter(run);
  const draftOf = (page: SitePage, produced: ProducedPage): Draft => {
    const shown = media === undefined ? [] : produced.rendered.remoteFiles;
    const isRendered = !produced.isCached;
    if (shown.length > 0) return { shown, isRendered };
    return { written: writer.write(page, produced, isRendered) };
  };
  const draft = (page: SitePage): Draft | Promise<Draft> => {
    const produced = producer.produce(page);
    if (!(produced instanceof Promise)) return draftOf(page, produced);
    return produced.then((rendered) => draftOf(page, rendered));
  };
  const inSlices = createSlices(signal);
  const drafts = await mapBounded(source.site.pages, pagesInFlight, (page) =>
    inSlices(() => draft(page)),
  );
  await media?.fetchCopies(drafts.flatMap((draft) => ("shown" in draft ? draft.shown : [])));
  const finish = async (page: SitePage, { shown, isRendered }: UnfinishedDraft) => {
    signal?.throwIfAborted();
    const produced = await producer.produce(page, media?.copiesOf(shown));
    return writer.write(page, produced, isRendered || !produced.isCached);
  };
  const pages = await mapBounded(drafts, pagesInFlight, (draft, number) =>
    "written" in draft ? draft.written : finish(source.site.pages[number] as SitePage, draft),
  );
  return { pages, rendered: writer.rendered, read: producer };
}

/**
 * Lets other work have a turn after each slice of calls, and checks the signal then: checking it for each page would take
 * as long as finding the page. Calls that come meanwhile wait, so that all are made in their order, in which the cache
 * has pages.
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
    if (calls++ % sliceLength === 0) turn ??= takeTurn();
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
      const fingerprint = key === undefined ? undefined : pageFingerprint(key, rendered);
      progress.done += 1;
      if (isRendered) progress.rendered += 1;
      settings.onProgress?.({ ...progress });
      if (isCached) return { page, rendered, fingerprint, isWritten: false };
      bundle.write({ path: fileOf(page.path), content: rendered.html }, fingerprint);
      const markdown = Buffer.concat([rendered.markdown, shared.instructions]);
      bundle.write({ path: markdownFile(page), content: markdown }, fingerprint);
      // Without a cache its texts stay in memory until the files made of all pages are written.
      const kept = stored ? locateInDescription(page, stored, material) : withoutDocument(rendered);
      return { page, rendered: kept, fingerprint, isWritten: true };
    },
  };
}
