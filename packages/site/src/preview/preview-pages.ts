import { isOctavoError } from "../core/index.ts";
import type {
  RenderedPage,
  ExportedPage,
  SiteFiles,
  RenderPool,
  PageTask,
} from "../export/index.ts";
import {
  renderFailedPage,
  mapBounded,
  readPageTask,
  omitDocument,
  locateInDescription,
  createSiteFiles,
  openPool,
} from "../export/index.ts";
import type { SitePage } from "../site/index.ts";
import type { SiteSnapshot } from "./site-snapshot.ts";

/** Usually, only one child has work. If a page makes this child hang, the other child renders the remaining pages. */
const maxChildren = 2;
/**
 * The number of pages that are rendered at the same time when all pages are requested. A page that a reader is waiting
 * for is queued behind at most this many pages.
 */
const maxPagesInFlight = 4;

interface PageEntry {
  readonly rendering: Promise<RenderedPage>;
  /** Whether the page's document is rendered, which only requested pages need. */
  readonly hasDocument: boolean;
  /** Set after rendering: the page, and its key, which covers everything it depends on except its snippets. */
  result?: { readonly key: string; readonly page: RenderedPage };
}

/**
 * The pages of a site. Each is rendered on first request and kept until a file or setting that it depends on changes.
 */
export class PreviewPages implements AsyncDisposable {
  #snapshot: SiteSnapshot;
  #files: SiteFiles;
  readonly #pool: RenderPool;
  readonly #entries = new Map<string, PageEntry>();

  constructor(snapshot: SiteSnapshot) {
    this.#snapshot = snapshot;
    this.#files = createSiteFiles(snapshot.site.root);
    this.#pool = openPool({
      setup: snapshot.shared.setup,
      readFile: (path) => this.#files.readSnippet(path),
      workers: maxChildren,
    });
  }

  /** Renders a page. Rejects only if the preview is closed, or children cannot be started at all. */
  async render(page: SitePage): Promise<RenderedPage> {
    return await this.#get(page, true);
  }

  /** Renders all pages, for the files built from all pages. The `html` of a rendered page may be empty. */
  async renderAll(): Promise<ExportedPage[]> {
    return await mapBounded(this.#snapshot.site.pages, maxPagesInFlight, async (page) => ({
      page,
      rendered: await this.#get(page, false),
    }));
  }

  *listRenderedPages(): Generator<RenderedPage> {
    for (const { result } of this.#entries.values()) if (result) yield result.page;
  }

  /** Reports whether a rendered page includes this file as a snippet. */
  isSnippet(file: string): boolean {
    return this.listRenderedPages().some(({ dependencies }) => Object.hasOwn(dependencies, file));
  }

  /**
   * Drops the pages that would now be different, given this snapshot and the changed `files`. Returns their paths,
   * including pages that are still being rendered.
   */
  async update(snapshot: SiteSnapshot, files: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const isSame = snapshot === this.#snapshot;
    this.#snapshot = snapshot;
    this.#files = createSiteFiles(snapshot.site.root);
    if (!isSame) this.#pool.renew(snapshot.shared.setup);
    const dropped = new Set<string>();
    const current = await Promise.all(
      [...this.#entries].map(async ([path, entry]) => {
        const page = snapshot.pages.get(path);
        const isUntouched = isSame && page !== undefined && !files.has(page.file);
        const isCurrent = await this.#isCurrent(entry, { page, files, isUntouched });
        return { path, entry, isCurrent };
      }),
    );
    for (const { path, entry, isCurrent } of current) {
      if (isCurrent) continue;
      dropped.add(path);
      if (this.#entries.get(path) === entry) this.#entries.delete(path);
    }
    return dropped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }

  async #isCurrent(
    { result }: PageEntry,
    change: {
      readonly page: SitePage | undefined;
      readonly files: ReadonlySet<string>;
      /** Whether neither the page's file nor the site has changed. */
      readonly isUntouched: boolean;
    },
  ): Promise<boolean> {
    const { page, files, isUntouched } = change;
    if (!result || !page) return false;
    const snippets = Object.keys(result.page.dependencies);
    if (snippets.some((file) => files.has(file))) return false;
    if (isUntouched) return true;
    const task = await this.#read(page);
    return !("refused" in task) && this.#snapshot.keys.keyOf(task) === result.key;
  }

  async #get(page: SitePage, hasDocument: boolean): Promise<RenderedPage> {
    const found = this.#entries.get(page.path);
    if (found && (found.hasDocument || !hasDocument)) return await found.rendering;
    const rendering = this.#render(page).then(({ key, rendered }) => {
      const result = hasDocument ? rendered : omitDocument(rendered);
      if (key !== undefined) entry.result = { key, page: result };
      return result;
    });
    const entry: PageEntry = { rendering, hasDocument };
    this.#entries.set(page.path, entry);
    // A failed rendering is not kept, because the next attempt may succeed.
    rendering.catch(() => this.#entries.delete(page.path));
    return await rendering;
  }

  async #render(page: SitePage): Promise<{ key?: string; rendered: RenderedPage }> {
    const { shared, materials, keys } = this.#snapshot;
    const task = await this.#read(page);
    const fail = (reason: string) => ({ rendered: renderFailedPage(shared.layout, page, reason) });
    if ("refused" in task) return fail(task.refused);
    const outcome = await this.#pool.render(task);
    if (outcome.type === "failed") return fail(outcome.reason);
    const rendered = locateInDescription(page, outcome.page, materials.get(page.path));
    return { key: keys.keyOf(task), rendered };
  }

  async #read(page: SitePage): Promise<PageTask | { readonly refused: string }> {
    try {
      const { materials, shared } = this.#snapshot;
      const sources = { files: this.#files, words: shared.setup.words };
      const outcome = await readPageTask(page, materials.get(page.path), sources);
      return "refused" in outcome ? outcome : outcome.task;
    } catch (error) {
      if (!isOctavoError(error)) throw error;
      return { refused: error.message };
    }
  }
}
