import { setImmediate as nextTurn } from "node:timers/promises";
import type { ExportRun } from "../export-run.ts";
import { mapBounded } from "../map-bounded.ts";
import { createPageProducer } from "./page-producer.ts";
import type { PageProducer } from "./page-producer.ts";
import { createPageWriter } from "./page-writer.ts";
import type { BundlePage } from "./place-documents.ts";
import { openPool } from "../pool/pool.ts";
import { poolSizeFor } from "../pool/pool-size.ts";
import { createSiteFiles } from "../source/site-files.ts";

/** Enough to keep the children busy while files are read and written. */
const pagesInFlight = 64;
/** Pages found in the cache before other work gets a turn: a few milliseconds. */
const sliceLength = 64;

export interface RenderedPages {
  readonly pages: readonly BundlePage[];
  /** How many were rendered for this export. */
  readonly rendered: number;
  /** What the source index is made of. */
  readonly read: Pick<PageProducer, "texts" | "keys" | "siteKey">;
}

/** A page after the first round: in the bundle, or waiting for what it shows from other hosts. */
type Draft =
  | { readonly written: BundlePage }
  | { readonly shown: readonly string[]; readonly isRendered: boolean };

/**
 * Takes each page from the cache or has it rendered in a child, then writes it. If files of other hosts are copied into
 * the bundle, pages that show some are rendered twice: what they show is known after the first time.
 */
export async function renderPages(run: ExportRun): Promise<RenderedPages> {
  const { settings, source, shared, meter } = run;
  const { media } = shared;
  const { signal } = settings;
  const files = createSiteFiles(source.site.root);
  await using pool = openPool({
    setup: shared.setup,
    readFile: files.readSnippet,
    children: settings.children,
    workers: settings.workers ?? poolSizeFor(source.site.pages.length),
    onChild: (pid) => meter.add(pid),
    signal,
  });
  const producer = createPageProducer(run, { pool, files });
  const writer = createPageWriter(run);
  let started = 0;
  const drafts = await mapBounded(
    source.site.pages,
    pagesInFlight,
    async (page): Promise<Draft> => {
      if (++started % sliceLength === 0) await nextTurn();
      signal?.throwIfAborted();
      const produced = await producer.produce(page);
      const shown = media === undefined ? [] : produced.rendered.remoteFiles;
      const isRendered = !produced.isCached;
      if (shown.length > 0) return { shown, isRendered };
      return { written: writer.write(page, produced, isRendered) };
    },
  );
  await media?.fetchCopies(drafts.flatMap((draft) => ("shown" in draft ? draft.shown : [])));
  const entries = source.site.pages.map((page, index) => ({ page, draft: drafts[index] as Draft }));
  const pages = await mapBounded(entries, pagesInFlight, async ({ page, draft }) => {
    if ("written" in draft) return draft.written;
    signal?.throwIfAborted();
    const produced = await producer.produce(page, media?.copiesOf(draft.shown));
    return writer.write(page, produced, draft.isRendered || !produced.isCached);
  });
  return { pages, rendered: writer.rendered, read: producer };
}
