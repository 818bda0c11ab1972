import {
  checkSite,
  createSiteLinks,
  loadSite,
  openPreview,
  renderSite,
  resolveLink,
} from "@octavo/site";
import { isOctavoError, sha256 } from "@octavo/site/core";
import type {
  ExportedPage,
  ExportSettings,
  RenderChildren,
  Site,
  SourceMemory,
} from "@octavo/site";
import type { Problem } from "@octavo/site/core";
import { configurationNames } from "./content.ts";
import type { PageReference } from "./edits/rewrite-links.ts";
import { embedFiles } from "./tools/embed-files.ts";
import type { Workspace } from "./workspace.ts";

export interface SiteViewOptions {
  /** The same as in `ExportSettings`. Reading the site again renders only pages that have changed. */
  readonly cacheDir: string;
  readonly workers?: number | undefined;
  readonly children?: RenderChildren | undefined;
  readonly onProgress?: ExportSettings["onProgress"];
}

/** A view of a workspace as a site, with its problems and its pages' references. Always reflects the current files. */
export interface SiteView {
  /** Returns the site. Throws `site_invalid` if the folder is not a site. */
  site(signal?: AbortSignal): Promise<Site>;
  /**
   * Returns all problems found while reading, rendering and checking. A site that cannot be read is reported as one
   * problem.
   */
  problems(signal?: AbortSignal): Promise<readonly Problem[]>;
  /**
   * Returns the page in a file as it is rendered now; undefined if the file is not a page. A self-contained document has
   * its style sheets and images in it, and no scripts.
   */
  page(
    file: string,
    signal?: AbortSignal,
    options?: { readonly isSelfContained?: boolean },
  ): Promise<PageView | undefined>;
  /**
   * Returns the problems in a page's file and in the snippets that it uses; undefined if the file is not a page. Renders
   * only this page and those whose anchors it links to.
   */
  problemsOf(file: string, signal?: AbortSignal): Promise<readonly Problem[] | undefined>;
  /** Returns every link and file reference of every page. A page that cannot be rendered has none. */
  references(signal?: AbortSignal): Promise<readonly PageReference[]>;
  /** Returns the pages and the snippets that they use. Valid after `references`. */
  usedFiles(): ReadonlySet<string>;
  /** Returns the pages that use each file, by path. A page uses itself. Covers the pages rendered so far. */
  pagesOfFiles(): ReadonlyMap<string, readonly string[]>;
}

/** A page as it is rendered. */
export interface PageView {
  readonly title: string;
  /** The page's address in the site, such as `/guides/start`. */
  readonly address: string;
  /** The whole HTML document. */
  readonly document: string;
}

/** The maximum number of pages whose anchors are compared with the links of one page. */
const maxLinkedPages = 500;

/** The sources of a page at the time when its references were read. */
interface KnownPage {
  /** Hashes by file; undefined for a file that had not been changed since the start. */
  readonly sources: ReadonlyMap<string, string | undefined>;
  readonly references: readonly PageReference[];
}

const emptyPage: KnownPage = { sources: new Map(), references: [] };

export function createSiteView(workspace: Workspace, options: SiteViewOptions): SiteView {
  return new WorkspaceView(workspace, options);
}

class WorkspaceView implements SiteView {
  readonly #workspace: Workspace;
  readonly #options: SiteViewOptions;
  readonly #known = new Map<string, KnownPage>();
  readonly #memory: SourceMemory;
  #site: { readonly revision: number; readonly site: Site } | undefined;
  #problems: { readonly revision: number; readonly problems: readonly Problem[] } | undefined;

  constructor(workspace: Workspace, options: SiteViewOptions) {
    this.#workspace = workspace;
    this.#options = options;
    this.#memory = {
      get changed() {
        return workspace.touched;
      },
    };
  }

  async site(signal?: AbortSignal): Promise<Site> {
    const { revision, root } = this.#workspace;
    if (this.#site?.revision !== revision) {
      this.#site = { revision, site: await loadSite(root, { signal }) };
    }
    return this.#site.site;
  }

  async problems(signal?: AbortSignal): Promise<readonly Problem[]> {
    const { revision } = this.#workspace;
    if (this.#problems?.revision !== revision) {
      this.#problems = { revision, problems: await this.#findProblems(signal) };
    }
    return this.#problems.problems;
  }

  async page(
    file: string,
    signal?: AbortSignal,
    { isSelfContained = false }: { readonly isSelfContained?: boolean } = {},
  ): Promise<PageView | undefined> {
    const site = await this.site(signal);
    const page = site.pages.find((own) => own.file === file);
    if (!page) return undefined;
    // A check does not make documents, and an export would write all files that pages share.
    await using preview = await openPreview({ siteDir: this.#workspace.root, signal });
    const found = await preview.find(`${page.path}.html`);
    const html = found?.type === "page" ? Buffer.from(found.rendered.html).toString() : "";
    const document = isSelfContained
      ? await embedFiles(html, `${page.path}.html`, async (path) => {
          const found = await preview.find(path);
          return found?.type === "text" || found?.type === "asset" ? found : undefined;
        })
      : html;
    return { title: page.title, address: `/${page.path}`, document };
  }

  async problemsOf(file: string, signal?: AbortSignal): Promise<readonly Problem[] | undefined> {
    const site = await this.site(signal);
    const page = site.pages.find((own) => own.file === file);
    if (!page) return undefined;
    await this.#render([page.path], signal);
    const { references, sources } = this.#known.get(page.path) ?? emptyPage;
    const links = createSiteLinks(site);
    const linked = references.flatMap(({ reference }) => {
      const found = resolveLink(reference.target, { page: page.path, file: reference.file }, links);
      return found.kind === "page" && found.anchor !== "" ? [found.path] : [];
    });
    const others = [...new Set(linked)].filter((path) => path !== page.path);
    const { cacheDir, workers, children, onProgress } = this.#options;
    const { problems } = await renderSite({
      siteDir: this.#workspace.root,
      memory: this.#memory,
      cacheDir,
      check: (_part, pages) => checkSite(site, pages),
      paths: [page.path, ...others.slice(0, maxLinkedPages)],
      workers,
      children,
      onProgress,
      signal,
    });
    return problems.filter((problem) => problem.file === file || sources.has(problem.file));
  }

  async references(signal?: AbortSignal): Promise<readonly PageReference[]> {
    const site = await this.site(signal);
    const readHash = this.#hashReader();
    const { touched } = this.#workspace;
    const stale: string[] = [];
    for (const { path } of site.pages) {
      if (!(await this.#isCurrent(path, touched, readHash))) stale.push(path);
    }
    const current = new Set(site.pages.map((page) => page.path));
    for (const path of this.#known.keys()) if (!current.has(path)) this.#known.delete(path);
    if (stale.length > 0) await this.#render(stale, signal);
    return site.pages.flatMap(({ path }) => this.#known.get(path)?.references ?? []);
  }

  usedFiles(): ReadonlySet<string> {
    return new Set([...this.#known.values()].flatMap(({ sources }) => [...sources.keys()]));
  }

  pagesOfFiles(): ReadonlyMap<string, readonly string[]> {
    const pages = new Map<string, string[]>();
    for (const [page, { sources }] of this.#known) {
      for (const file of sources.keys()) {
        const known = pages.get(file);
        if (known) known.push(page);
        else pages.set(file, [page]);
      }
    }
    return pages;
  }

  async #findProblems(signal: AbortSignal | undefined): Promise<readonly Problem[]> {
    try {
      return await this.#render(undefined, signal);
    } catch (error) {
      if (!isOctavoError(error, "site_invalid")) throw error;
      const file = configurationNames[0];
      return [{ severity: "error", code: error.code, message: error.message, file }];
    }
  }

  /** Renders the site, or some of its pages, and stores their references. */
  async #render(
    paths: readonly string[] | undefined,
    signal: AbortSignal | undefined,
  ): Promise<readonly Problem[]> {
    const { cacheDir, workers, children, onProgress } = this.#options;
    let rendered: readonly PageSources[] = [];
    const { revision } = this.#workspace;
    const { problems, site } = await renderSite({
      siteDir: this.#workspace.root,
      memory: this.#memory,
      cacheDir,
      check: (site, pages) => {
        rendered = pages.map(collectPageSources);
        return paths === undefined ? checkSite(site, pages) : [];
      },
      ...(paths === undefined ? { checkedAs: "site" } : {}),
      paths,
      workers,
      children,
      onProgress,
      signal,
    });
    if (paths === undefined) this.#site = { revision, site };
    const readHash = this.#hashReader();
    const { touched } = this.#workspace;
    for (const { page, references, snippets } of rendered) {
      const sources = new Map<string, string | undefined>(snippets);
      sources.set(page.file, touched.has(page.file) ? await readHash(page.file) : undefined);
      this.#known.set(page.path, { sources, references });
    }
    return problems;
  }

  async #isCurrent(
    page: string,
    touched: ReadonlySet<string>,
    readHash: (file: string) => Promise<string>,
  ): Promise<boolean> {
    const known = this.#known.get(page);
    if (!known) return false;
    for (const [file, hash] of known.sources) {
      if (touched.has(file) && (await readHash(file)) !== hash) return false;
    }
    return true;
  }

  /**
   * Returns a function that computes hashes like the renderer's; empty if the file does not exist. Each file is read
   * once.
   */
  #hashReader(): (file: string) => Promise<string> {
    const hashes = new Map<string, Promise<string>>();
    return (file) => {
      let hash = hashes.get(file);
      if (!hash) hashes.set(file, (hash = this.#hashOf(file)));
      return hash;
    };
  }

  async #hashOf(file: string): Promise<string> {
    try {
      return sha256(await this.#workspace.readText(file));
    } catch {
      // The file is a script or another file that only the renderer reads, which the work cannot change.
      return "";
    }
  }
}

interface PageSources {
  readonly page: ExportedPage["page"];
  readonly references: readonly PageReference[];
  /** Hashes by file. */
  readonly snippets: readonly (readonly [file: string, hash: string])[];
}

/** Collects the facts about a page that are needed after its export, when the page can no longer be read. */
function collectPageSources({ page, rendered }: ExportedPage): PageSources {
  return {
    page,
    references: rendered.references.map((reference) => ({ page: page.path, reference })),
    snippets: Object.entries(rendered.dependencies),
  };
}
