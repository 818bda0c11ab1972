/**
 * Previews a site by rendering its pages on request while its folder changes:
 * 1. `site-snapshot.ts` reads the site, as for an export;
 * 2. a page is rendered in a child on its first request (`preview-pages.ts`), and the other files when a page first
 *    needs them (`shared-files.ts`);
 * 3. after a change in the folder, `isSameSite` decides whether the site has to be read again; then the pages whose
 *    keys or snippets have changed are dropped.
 */
import { isOctavoError, resolveRealPath } from "../core/index.ts";
import type { OctavoError, BundleFile } from "../core/index.ts";
import type { RenderedPage } from "../export/index.ts";
import type { SiteSettings } from "../load/index.ts";
import type { Site, SitePage } from "../site/index.ts";
import { readClientScript } from "../theme/index.ts";
import { PreviewPages } from "./preview-pages.ts";
import { isSameSite, readSnapshot, type SiteSnapshot } from "./site-snapshot.ts";
import { createSharedFiles } from "./shared-files.ts";
import type { SharedFiles } from "./shared-files.ts";

/** The file at a path of the bundle. */
export type PreviewFile =
  | { readonly type: "page"; readonly page: SitePage; readonly rendered: RenderedPage }
  | { readonly type: "text"; readonly content: BundleFile["content"] }
  /** A file of the site; `file` is its absolute path, inside the site's folder. */
  | { readonly type: "asset"; readonly file: string }
  /** A page's path without its extension, or the folder of an index page. */
  | { readonly type: "moved"; readonly path: string };

export interface PreviewChange {
  /** Reports whether the page with this path may have changed, appeared or disappeared. */
  affects(path: string): boolean;
}

export interface SitePreview extends AsyncDisposable {
  /** The site as it was last read successfully; undefined if it has never been read successfully. */
  readonly site: Site | undefined;
  /** The reason why the folder cannot be read in its current state; undefined if it can. */
  readonly failure: OctavoError | undefined;
  /** Returns the file that the bundle would have at this path, relative to its root, or undefined if there is none. */
  find(path: string): Promise<PreviewFile | undefined>;
  /**
   * Processes changed files, and folders that appeared or disappeared, given by paths relative to the site. Do not call
   * it again before it resolves.
   */
  refresh(files: readonly string[]): Promise<PreviewChange>;
}

/**
 * Opens a preview. Never throws because of the contents of a site: if it cannot be read, `failure` contains the reason.
 * Does not write anything, and fetches only API descriptions.
 */
export async function openPreview(settings: SiteSettings): Promise<SitePreview> {
  const preview = new LivePreview(settings);
  await preview.refresh([]);
  return preview;
}

/** A snapshot, and the pages and files built from it. */
interface ShownSite {
  readonly snapshot: SiteSnapshot;
  readonly pages: PreviewPages;
  readonly files: SharedFiles;
}

const noChange: PreviewChange = { affects: () => false };

class LivePreview implements SitePreview {
  readonly #settings: SiteSettings;
  #shown: ShownSite | undefined;
  #failure: OctavoError | undefined;
  /** Files that changed while the site could not be read. */
  readonly #unreadFiles = new Set<string>();
  readonly #script = readClientScript();

  constructor(settings: SiteSettings) {
    this.#settings = settings;
  }

  get site(): Site | undefined {
    return this.#shown?.snapshot.site;
  }

  get failure(): OctavoError | undefined {
    return this.#failure;
  }

  async find(path: string): Promise<PreviewFile | undefined> {
    if (!this.#shown) return undefined;
    const { snapshot, pages, files } = this.#shown;
    const [, name = path, extension] = /^(.*)\.(html|md)$/s.exec(path) ?? [];
    const page = extension === undefined ? undefined : snapshot.pages.get(name);
    if (page) {
      const rendered = await pages.render(page);
      if (extension === "html") return { type: "page", page, rendered };
      const { instructions } = snapshot.shared;
      return { type: "text", content: Buffer.concat([rendered.markdown, instructions]) };
    }
    const scriptPage = snapshot.pages.get(/^_octavo\/schemas\/(.*)\.js$/s.exec(path)?.[1] ?? "");
    if (scriptPage) {
      return { type: "text", content: Buffer.from((await pages.render(scriptPage)).schemaScript) };
    }
    if (snapshot.assets.has(path)) {
      return { type: "asset", file: await resolveRealPath(snapshot.site.root, path) };
    }
    const movedPath = [path, `${path}/index`].find((candidate) => snapshot.pages.has(candidate));
    if (movedPath !== undefined) return { type: "moved", path: `${movedPath}.html` };
    const content = await files.find(path);
    return content === undefined ? undefined : { type: "text", content };
  }

  async refresh(files: readonly string[]): Promise<PreviewChange> {
    const changed = new Set(files);
    const before = this.#shown;
    const isSnippet = (file: string): boolean => before?.pages.isSnippet(file) ?? false;
    const context = { settings: this.#settings, isSnippet };
    if (before && (await isSameSite(before.snapshot, changed, context))) {
      return await this.#showChanged(before, before.snapshot, changed);
    }
    const snapshot = await this.#read(before, changed);
    if (before && snapshot === undefined) {
      return await this.#showChanged(before, before.snapshot, changed);
    }
    if (snapshot === undefined) return noChange;
    if (before) return await this.#showChanged(before, snapshot, changed);
    const pages = new PreviewPages(snapshot);
    this.#shown = { snapshot, pages, files: createSharedFiles(snapshot, pages, this.#script) };
    return { affects: () => true };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#shown?.pages[Symbol.asyncDispose]();
  }

  async #read(
    before: ShownSite | undefined,
    files: Iterable<string>,
  ): Promise<SiteSnapshot | undefined> {
    for (const file of files) this.#unreadFiles.add(file);
    const earlier = before && { snapshot: before.snapshot, changed: this.#unreadFiles };
    try {
      const snapshot = await readSnapshot(this.#settings, earlier);
      this.#failure = undefined;
      this.#unreadFiles.clear();
      return snapshot;
    } catch (error) {
      if (!isOctavoError(error)) throw error;
      this.#failure = error;
      return undefined;
    }
  }

  async #showChanged(
    { snapshot: before, pages, files }: ShownSite,
    snapshot: SiteSnapshot,
    changed: ReadonlySet<string>,
  ): Promise<PreviewChange> {
    const dropped = await pages.update(snapshot, changed);
    if (snapshot === before) files.update();
    else this.#shown = { snapshot, pages, files: createSharedFiles(snapshot, pages, this.#script) };
    const isOtherSite = snapshot.hash !== before.hash;
    const hasOtherAssets = [...changed].some((file) => snapshot.assets.has(file));
    return {
      affects(path) {
        if (hasOtherAssets || dropped.has(path)) return true;
        return isOtherSite && !(before.pages.has(path) && snapshot.pages.has(path));
      },
    };
  }
}
