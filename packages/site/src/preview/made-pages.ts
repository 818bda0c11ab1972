import { isOctavoError } from "../core/index.ts";
import type {
  RenderedPage,
  ExportedPage,
  SiteFiles,
  RenderPool,
  PageTask,
} from "../export/index.ts";
import {
  failedPage,
  mapBounded,
  readPageTask,
  withoutDocument,
  placeInDescription,
  createSiteFiles,
  openPool,
} from "../export/index.ts";
import type { SitePage } from "../site/index.ts";
import type { Reading } from "./reading.ts";

/** Two, so that a page that hangs leaves the others one; most of the time there is work for one. */
const children = 2;
/** Pages under way at once where all are wanted: a page that somebody waits for stands behind as many. */
const pagesInFlight = 4;

interface Made {
  readonly making: Promise<RenderedPage>;
  /** With its document, which only those need that somebody looks at. */
  readonly isWhole: boolean;
  /** Set when it was made: the page, and its key, which is what it depends on but for its snippets. */
  done?: { readonly key: string; readonly page: RenderedPage };
}

/** The pages of a site, each rendered when it is first asked for, and kept while it would come out the same. */
export class MadePages implements AsyncDisposable {
  #reading: Reading;
  #files: SiteFiles;
  readonly #pool: RenderPool;
  readonly #made = new Map<string, Made>();

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#files = createSiteFiles(reading.site.root);
    this.#pool = openPool({
      setup: reading.setup,
      readFile: (path) => this.#files.readSnippet(path),
      workers: children,
    });
  }

  /** Rejects only when it is closed, or children cannot be started at all. */
  async of(page: SitePage): Promise<RenderedPage> {
    return await this.#take(page, true);
  }

  /** All pages, for what is made of all of them; `html` may be empty. */
  async all(): Promise<ExportedPage[]> {
    return await mapBounded(this.#reading.site.pages, pagesInFlight, async (page) => ({
      page,
      rendered: await this.#take(page, false),
    }));
  }

  /** What was made so far. */
  *soFar(): Generator<RenderedPage> {
    for (const { done } of this.#made.values()) if (done) yield done.page;
  }

  /** Whether a page was made of this file besides its own. */
  isSnippet(file: string): boolean {
    return this.soFar().some(({ dependencies }) => Object.hasOwn(dependencies, file));
  }

  /**
   * Forgets the pages that would come out otherwise now: of `reading`, and with `files` changed. Gives
   * their paths; what is forgotten while it is still being made is among them.
   */
  async renew(reading: Reading, files: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const isSame = reading === this.#reading;
    this.#reading = reading;
    this.#files = createSiteFiles(reading.site.root);
    if (!isSame) this.#pool.renew(reading.setup);
    const forgotten = new Set<string>();
    const current = await Promise.all(
      [...this.#made].map(async ([path, made]) => {
        const page = reading.pages.get(path);
        const isUntouched = isSame && page !== undefined && !files.has(page.file);
        const isCurrent = await this.#isCurrent(made, { page, files, isUntouched });
        return { path, made, isCurrent };
      }),
    );
    for (const { path, made, isCurrent } of current) {
      if (isCurrent) continue;
      forgotten.add(path);
      if (this.#made.get(path) === made) this.#made.delete(path);
    }
    return forgotten;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }

  async #isCurrent(
    { done }: Made,
    change: {
      readonly page: SitePage | undefined;
      readonly files: ReadonlySet<string>;
      /** Neither its file nor the site has changed. */
      readonly isUntouched: boolean;
    },
  ): Promise<boolean> {
    const { page, files, isUntouched } = change;
    if (!done || !page) return false;
    const snippets = Object.keys(done.page.dependencies);
    if (snippets.some((file) => files.has(file))) return false;
    if (isUntouched) return true;
    const task = await this.#read(page);
    return !("refused" in task) && this.#reading.keys.keyOf(task) === done.key;
  }

  async #take(page: SitePage, isWhole: boolean): Promise<RenderedPage> {
    const known = this.#made.get(page.path);
    if (known && (known.isWhole || !isWhole)) return await known.making;
    const making = this.#make(page).then(({ key, rendered }) => {
      const kept = isWhole ? rendered : withoutDocument(rendered);
      if (key !== undefined) made.done = { key, page: kept };
      return kept;
    });
    const made: Made = { making, isWhole };
    this.#made.set(page.path, made);
    // Not kept: it may go well the next time.
    making.catch(() => this.#made.delete(page.path));
    return await making;
  }

  async #make(page: SitePage): Promise<{ key?: string; rendered: RenderedPage }> {
    const { shared, materials, keys } = this.#reading;
    const task = await this.#read(page);
    const fail = (reason: string) => ({ rendered: failedPage(shared.layout, page, reason) });
    if ("refused" in task) return fail(task.refused);
    const outcome = await this.#pool.render(task);
    if (outcome.type === "failed") return fail(outcome.reason);
    const rendered = placeInDescription(page, outcome.page, materials.get(page.path));
    return { key: keys.keyOf(task), rendered };
  }

  async #read(page: SitePage): Promise<PageTask | { readonly refused: string }> {
    try {
      const material = this.#reading.materials.get(page.path);
      const read = await readPageTask(page, material, this.#files);
      return "refused" in read ? read : read.task;
    } catch (error) {
      if (!isOctavoError(error)) throw error;
      return { refused: error.message };
    }
  }
}
