import { readFile, stat } from "node:fs/promises";
import {
  checkSite,
  createSiteLinks,
  loadSite,
  openPreview,
  renderSite,
  resolveLink,
} from "@octavo/site";
import type {
  ExportedPage,
  ExportSettings,
  RenderChildren,
  Site,
  SitePage,
  SourceMemory,
} from "@octavo/site";
import { isOctavoError, sha256, type Problem } from "@octavo/site/core";
import { getContentType } from "../core/index.ts";
import { configurationNames } from "./content.ts";
import type { PageReference } from "./edits/rewrite-links.ts";
import type { DefaultTreeAdapterTypes } from "./tools/parse-html.bundled.ts";
import type { Workspace } from "./workspace.ts";

export interface SiteViewOptions {
  /** The folder of the cache of rendered pages, so that reading the site again renders only pages that have changed. */
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
   * Returns a file's page as it is currently rendered, or undefined if the file is not a page. With `isSelfContained`,
   * the document's style sheets and images are embedded, and it has no scripts.
   */
  page(
    file: string,
    signal?: AbortSignal,
    options?: { readonly isSelfContained?: boolean },
  ): Promise<PageView | undefined>;
  /**
   * Returns the problems in a page's file and in the snippets that it uses, or undefined if the file is not a page.
   * Renders only this page and those whose anchors it links to.
   */
  problemsOf(file: string, signal?: AbortSignal): Promise<readonly Problem[] | undefined>;
  /** Returns every link and file reference of every page. A page that cannot be rendered has no references. */
  references(signal?: AbortSignal): Promise<readonly PageReference[]>;
  /** Returns the pages and the snippets that they use. Valid after `references`. */
  usedFiles(): ReadonlySet<string>;
  /** Returns the pages that use each file, by path. A page uses itself. Covers the pages rendered so far. */
  pagesOfFiles(): ReadonlyMap<string, readonly string[]>;
}

/** A rendered page. */
interface PageView {
  readonly title: string;
  /** The page's address in the site, such as `/guides/start`. */
  readonly address: string;
  /** The whole HTML document. */
  readonly document: string;
}

/** The maximum number of other pages that are rendered to check the anchors in one page's links. */
const maxLinkedPages = 500;

/** The sources and references of a page when it was last rendered. */
interface RenderedSources {
  /** Hashes by file; undefined for a file that had not been changed since the start. */
  readonly sources: ReadonlyMap<string, string | undefined>;
  readonly references: readonly PageReference[];
}

const noSources: RenderedSources = { sources: new Map(), references: [] };

export function createSiteView(workspace: Workspace, options: SiteViewOptions): SiteView {
  return new WorkspaceView(workspace, options);
}

class WorkspaceView implements SiteView {
  readonly #workspace: Workspace;
  readonly #options: SiteViewOptions;
  readonly #renderedPages = new Map<string, RenderedSources>();
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
    const page = site.pages.find((candidate) => candidate.file === file);
    if (!page) return undefined;
    // A check does not produce HTML documents, and an export would also write all files that pages
    // share.
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
    const page = site.pages.find((candidate) => candidate.file === file);
    if (!page) return undefined;
    await this.#render([page.path], signal);
    const { references, sources } = this.#renderedPages.get(page.path) ?? noSources;
    const links = createSiteLinks(site);
    const linkedPages = references.flatMap(({ reference }) => {
      const found = resolveLink(reference.target, { page: page.path, file: reference.file }, links);
      return found.kind === "page" && found.anchor !== "" ? [found.path] : [];
    });
    const others = [...new Set(linkedPages)].filter((path) => path !== page.path);
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
    const readHash = this.#createHashReader();
    const { touched } = this.#workspace;
    const stale: string[] = [];
    for (const { path } of site.pages) {
      if (!(await this.#isCurrent(path, touched, readHash))) stale.push(path);
    }
    const current = new Set(site.pages.map((page) => page.path));
    for (const path of this.#renderedPages.keys())
      if (!current.has(path)) this.#renderedPages.delete(path);
    if (stale.length > 0) await this.#render(stale, signal);
    return site.pages.flatMap(({ path }) => this.#renderedPages.get(path)?.references ?? []);
  }

  usedFiles(): ReadonlySet<string> {
    return new Set([...this.#renderedPages.values()].flatMap(({ sources }) => [...sources.keys()]));
  }

  pagesOfFiles(): ReadonlyMap<string, readonly string[]> {
    const pages = new Map<string, string[]>();
    for (const [page, { sources }] of this.#renderedPages) {
      for (const file of sources.keys()) {
        const knownPages = pages.get(file);
        if (knownPages) knownPages.push(page);
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
      ...(paths === undefined ? { checkName: "site" } : {}),
      paths,
      workers,
      children,
      onProgress,
      signal,
    });
    if (paths === undefined) this.#site = { revision, site };
    const readHash = this.#createHashReader();
    const { touched } = this.#workspace;
    for (const { page, references, snippets } of rendered) {
      const sources = new Map<string, string | undefined>(snippets);
      sources.set(page.file, touched.has(page.file) ? await readHash(page.file) : undefined);
      this.#renderedPages.set(page.path, { sources, references });
    }
    return problems;
  }

  async #isCurrent(
    page: string,
    touched: ReadonlySet<string>,
    readHash: (file: string) => Promise<string>,
  ): Promise<boolean> {
    const rendered = this.#renderedPages.get(page);
    if (!rendered) return false;
    for (const [file, hash] of rendered.sources) {
      if (touched.has(file) && (await readHash(file)) !== hash) return false;
    }
    return true;
  }

  /**
   * Returns a function that hashes files as the renderer does; the hash is empty if the file does not exist. Each file
   * is read once.
   */
  #createHashReader(): (file: string) => Promise<string> {
    const hashes = new Map<string, Promise<string>>();
    return (file) => {
      let hash = hashes.get(file);
      if (!hash) hashes.set(file, (hash = this.#hashFile(file)));
      return hash;
    };
  }

  async #hashFile(file: string): Promise<string> {
    try {
      return sha256(await this.#workspace.readText(file));
    } catch {
      // The file is a script or another file that only the renderer reads and that the agent cannot change.
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

/** Returns the file at a path of the bundle: its content, or its absolute path if it is a file of the site. */
type FindBundleFile = (
  path: string,
) => Promise<{ readonly content: string | Uint8Array } | { readonly file: string } | undefined>;

/**
 * The maximum size of one embedded file, and of all files embedded in a document. A file that exceeds it is not
 * embedded.
 */
const maxEmbeddedBytes = { one: 4_000_000, all: 16_000_000 };

/** Scripts, and elements that browsers show only if scripts are disabled. */
const removedElements: ReadonlySet<string> = new Set(["script", "noscript"]);

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/**
 * Embeds a page's style sheets and images in its document, so that it can be drawn without any other file, and removes
 * its scripts. `path` is the page's path in the bundle. Does not load addresses on other hosts.
 */
async function embedFiles(document: string, path: string, find: FindBundleFile): Promise<string> {
  const { parse, serialize } = await import("./tools/parse-html.bundled.ts");
  const files = createFileReader(find);
  const root = parse(document);
  await embedInto(root);
  return serialize(root);

  async function embedInto(node: Node): Promise<void> {
    if (!("childNodes" in node)) return;
    node.childNodes = node.childNodes.filter((child) => !removedElements.has(child.nodeName));
    for (const child of node.childNodes) {
      if ("tagName" in child) await embedElement(child);
      await embedInto(child);
    }
  }

  async function embedElement(element: Element): Promise<void> {
    const getAttribute = (name: string) =>
      element.attrs.find((attribute) => attribute.name === name)?.value;
    if (element.tagName === "link" && getAttribute("rel") === "stylesheet") {
      const bundlePath = resolvePath(getAttribute("href"), path);
      const css = bundlePath === undefined ? undefined : await files.read(bundlePath);
      if (bundlePath === undefined || css === undefined) return;
      const text = await embedIntoCss(css.toString(), bundlePath, (file) =>
        files.readDataUrl(file),
      );
      element.tagName = element.nodeName = "style";
      element.attrs = [];
      element.childNodes = [{ nodeName: "#text", value: text, parentNode: element }];
    } else if (element.tagName === "img") {
      const bundlePath = resolvePath(getAttribute("src"), path);
      const url = bundlePath === undefined ? undefined : await files.readDataUrl(bundlePath);
      if (url === undefined) return;
      const others = element.attrs.filter(
        ({ name }) => !["src", "srcset", "loading"].includes(name),
      );
      element.attrs = [...others, { name: "src", value: url }];
    }
  }
}

/** Replaces the relative addresses of fonts and images in a style sheet. */
async function embedIntoCss(
  css: string,
  path: string,
  readDataUrl: (path: string) => Promise<string | undefined>,
): Promise<string> {
  const pattern = /url\(\s*(["']?)([^"')\s]+)\1\s*\)/g;
  const urls = new Map<string, string>();
  for (const [whole, , address] of css.matchAll(pattern)) {
    const bundlePath = resolvePath(address, path);
    const url =
      bundlePath === undefined || urls.has(whole) ? undefined : await readDataUrl(bundlePath);
    if (url !== undefined) urls.set(whole, `url("${url}")`);
  }
  return css.replaceAll(pattern, (whole) => urls.get(whole) ?? whole);
}

/** Resolves an address in a file of the bundle to a path in the bundle. Returns undefined if it leads elsewhere. */
function resolvePath(address: string | undefined, from: string): string | undefined {
  const base = "https://bundle.invalid";
  const url = URL.parse(address ?? "", `${base}/${from}`);
  if (address === undefined || url?.origin !== base) return undefined;
  try {
    return decodeURIComponent(url.pathname.slice(1));
  } catch {
    // The path contains a malformed escape, so no file can have it.
    return undefined;
  }
}

/** Creates a reader of the bundle's files that skips files beyond the limits. */
function createFileReader(find: FindBundleFile) {
  let remainingBytes = maxEmbeddedBytes.all;
  async function read(path: string): Promise<Buffer | undefined> {
    const found = await find(path);
    if (!found) return undefined;
    const size = "file" in found ? (await stat(found.file)).size : found.content.length;
    if (size > Math.min(remainingBytes, maxEmbeddedBytes.one)) return undefined;
    remainingBytes -= size;
    return "file" in found ? await readFile(found.file) : Buffer.from(found.content);
  }
  return {
    read,
    async readDataUrl(path: string): Promise<string | undefined> {
      const bytes = await read(path);
      return bytes && `data:${getContentType(path)};base64,${bytes.toString("base64")}`;
    },
  };
}

/** The path and title by which readers know a page. */
export type PageName = Pick<SitePage, "path" | "title">;

/** The pages on which readers see a site's files. File paths are relative to the site's folder. */
export interface SitePages {
  /** The page of each file, including files that the work removed. */
  readonly byFile: ReadonlyMap<string, PageName>;
  /** Titles of the pages that use a file that is not a page itself, such as a snippet. */
  readonly shownOn: ReadonlyMap<string, readonly string[]>;
  /** The files of pages that are not in any navigation although their frontmatter does not hide them. */
  readonly unlisted: ReadonlySet<string>;
}
