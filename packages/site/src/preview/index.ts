/**
 * A site whose pages are rendered when they are asked for, while its folder changes:
 * 1. `reading.ts` reads the site, as for an export;
 * 2. a page is rendered in a child when it is first asked for (`made-pages.ts`), and what stands beside
 *    the pages when a page first needs it (`shared-files.ts`);
 * 3. of what changed in the folder, `same-site.ts` says whether the site has to be read again; then the
 *    pages are forgotten whose keys or snippets changed, and nothing else.
 */
import { isOctavoError, realPathInside } from "../core/index.ts";
import type { OctavoError, BundleFile } from "../core/index.ts";
import type { RenderedPage } from "../export/index.ts";
import { agentInstructions } from "../outputs/index.ts";
import type { Site, SitePage } from "../site/index.ts";
import { clientScript } from "../theme/index.ts";
import { MadePages } from "./made-pages.ts";
import { readNow } from "./reading.ts";
import type { Reading, ReadingOptions } from "./reading.ts";
import { isSameSite } from "./same-site.ts";
import { createSharedFiles } from "./shared-files.ts";
import type { SharedFiles } from "./shared-files.ts";

/** What a bundle has at a path. */
export type PreviewFile =
  | { readonly type: "page"; readonly page: SitePage; readonly rendered: RenderedPage }
  | { readonly type: "text"; readonly content: BundleFile["content"] }
  /** A file of the site; `file` is its absolute path, which lies in the site's folder. */
  | { readonly type: "asset"; readonly file: string }
  /** Not a file, but a page without its ending, or the folder of one. */
  | { readonly type: "moved"; readonly path: string };

export interface PreviewChange {
  /** Whether a page may look otherwise than before, by its path; one that does not exist may have come to be. */
  affects(path: string): boolean;
}

export interface SitePreview extends AsyncDisposable {
  /** As it was read the last time that this went well; undefined where it never did. */
  readonly site: Site | undefined;
  /** Why the folder cannot be read as it is now. */
  readonly failure: OctavoError | undefined;
  /** What the bundle would have at this path, which is relative to its root; undefined where nothing. */
  find(path: string): Promise<PreviewFile | undefined>;
  /** Takes up what changed: files, or folders that came or went, relative to the site's root. One call at a time. */
  refresh(files: readonly string[]): Promise<PreviewChange>;
}

/** Never throws for what a site holds: where it cannot be read, `failure` says why, until it can. */
export async function openPreview(options: ReadingOptions): Promise<SitePreview> {
  const preview = new LivePreview(options);
  await preview.refresh([]);
  return preview;
}

/** A reading with what was made of it. */
interface Shown {
  readonly reading: Reading;
  readonly pages: MadePages;
  readonly files: SharedFiles;
}

const nothing: PreviewChange = { affects: () => false };

class LivePreview implements SitePreview {
  readonly #options: ReadingOptions;
  #shown: Shown | undefined;
  #failure: OctavoError | undefined;
  /** What changed while the site could not be read. */
  readonly #unread = new Set<string>();
  readonly #script = clientScript();

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  get site(): Site | undefined {
    return this.#shown?.reading.site;
  }

  get failure(): OctavoError | undefined {
    return this.#failure;
  }

  async find(path: string): Promise<PreviewFile | undefined> {
    if (!this.#shown) return undefined;
    const { reading, pages, files } = this.#shown;
    const [, name = path, ending] = /^(.*)\.(html|md)$/s.exec(path) ?? [];
    const page = ending === undefined ? undefined : reading.pages.get(name);
    if (page) {
      const rendered = await pages.of(page);
      if (ending === "html") return { type: "page", page, rendered };
      return {
        type: "text",
        content: Buffer.concat([rendered.markdown, instructionsOf(reading.site)]),
      };
    }
    if (reading.assets.has(path)) {
      return { type: "asset", file: await realPathInside(reading.site.root, path) };
    }
    const moved = [path, `${path}/index`].find((candidate) => reading.pages.has(candidate));
    if (moved !== undefined) return { type: "moved", path: `${moved}.html` };
    const content = await files.find(path);
    return content === undefined ? undefined : { type: "text", content };
  }

  async refresh(files: readonly string[]): Promise<PreviewChange> {
    const changed = new Set(files);
    const before = this.#shown;
    const isSnippet = (file: string): boolean => before?.pages.isSnippet(file) ?? false;
    if (before && (await isSameSite(before.reading, changed, isSnippet))) {
      return await this.#showChanged(before, before.reading, changed);
    }
    const reading = await this.#read(before, changed);
    if (before && reading === undefined) {
      return await this.#showChanged(before, before.reading, changed);
    }
    if (reading === undefined) return nothing;
    if (before) return await this.#showChanged(before, reading, changed);
    const pages = new MadePages(reading);
    this.#shown = { reading, pages, files: createSharedFiles(reading, pages, this.#script) };
    return { affects: () => true };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#shown?.pages[Symbol.asyncDispose]();
  }

  async #read(before: Shown | undefined, files: Iterable<string>): Promise<Reading | undefined> {
    for (const file of files) this.#unread.add(file);
    const earlier = before && { reading: before.reading, changed: this.#unread };
    try {
      const reading = await readNow(this.#options, earlier);
      this.#failure = undefined;
      this.#unread.clear();
      return reading;
    } catch (error) {
      if (!isOctavoError(error)) throw error;
      this.#failure = error;
      return undefined;
    }
  }

  async #showChanged(
    { reading: before, pages, files }: Shown,
    reading: Reading,
    changed: ReadonlySet<string>,
  ): Promise<PreviewChange> {
    const forgotten = await pages.renew(reading, changed);
    if (reading === before) files.renew();
    else this.#shown = { reading, pages, files: createSharedFiles(reading, pages, this.#script) };
    const isOtherSite = reading.hash !== before.hash;
    const hasOtherAssets = [...changed].some((file) => reading.assets.has(file));
    return {
      affects(path) {
        if (hasOtherAssets || forgotten.has(path)) return true;
        return isOtherSite && !(before.pages.has(path) && reading.pages.has(path));
      },
    };
  }
}

function instructionsOf(site: Site): Uint8Array {
  const block = agentInstructions(site.config);
  return Buffer.from(block === undefined ? "" : `\n${block}\n`);
}
