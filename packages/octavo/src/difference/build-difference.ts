import { posix } from "node:path";
import { OctavoError } from "@octavo/site/core";
import { openBundle, readEntry, type BundleEntry, type OpenBundle } from "../bundles/index.ts";
import { ArticleMarker } from "./article-marker.ts";
import {
  findElement,
  visitElements,
  getAttribute,
  getText,
  isElement,
  setAttribute,
  type ChildNode,
  type Element,
  type ParentNode,
} from "./dom.ts";
import { parse, serialize } from "./html.bundled.ts";
import {
  type AddressUse,
  createPageAddresses,
  mapAddresses,
  type PageAddresses,
} from "./page-addresses.ts";
import { createBlockReader } from "./read-blocks.ts";

/** Two bundles of a site, as zip archives on this machine. */
export interface DifferenceRequest {
  readonly before: string;
  readonly after: string;
  /** The path of the zip archive to which the difference is written. */
  readonly outFile: string;
  /** Called after each page is read, to show the caller that the work is progressing. */
  readonly onPage?: () => Promise<void>;
}

type PageKind = "added" | "removed" | "changed";

/** A page on which readers see a difference. */
export interface DifferentPage {
  /** The page's file in the bundle, such as `guide/start.html`. */
  readonly file: string;
  /** The former file of a page that was moved, whether or not it was also edited. */
  readonly formerFile?: string;
  readonly title: string;
  readonly kind: PageKind;
  /** The number of changes; null if the page was not compared, because it or the whole difference is too large. */
  readonly changes: number | null;
}

/** The difference between two bundles. */
export interface SiteDifference {
  /** The pages, sorted by file. */
  readonly pages: readonly DifferentPage[];
  /** The number of differing pages that `pages` omits, because there are too many. */
  readonly omitted: number;
}

/** The operations on differences that run in a separate process. */
export interface DifferenceOperations {
  buildDifference(request: DifferenceRequest): Promise<SiteDifference>;
}

/** The file of a difference that lists its pages, as JSON. */
const differenceListFile = "_octavo/difference/pages.json";

/** The maximum size of a page that is compared. */
const maxPageBytes = 2 * 1024 * 1024;
/** The maximum number of pages with marks, and the maximum number of pages in the list. */
const maxMarkedPages = 1_000;
const maxListedPages = 5_000;
/** The maximum total size of the marked pages, and of the former pictures. */
const maxMarkedBytes = 128 * 1024 * 1024;
const maxPictureBytes = 64 * 1024 * 1024;
/** The time after which no further page is compared. */
const compareTimeoutMs = 60_000;

/**
 * Compares two bundles page by page, and packs the marked pages, the former pictures that they show, and the list of
 * pages. Reads only pages whose bytes differ, and pages that show files whose bytes differ.
 */
export async function buildDifference(request: DifferenceRequest): Promise<SiteDifference> {
  const bundles = await openBundles(request);
  try {
    const names = findChangedFiles(bundles);
    const builder = new DifferenceBuilder(bundles, names);
    for (const candidate of findCandidates(bundles, names.length > 0)) {
      await builder.compare(candidate);
      await request.onPage?.();
    }
    return await builder.pack(request.outFile);
  } finally {
    bundles.before.close();
    bundles.after.close();
  }
}

interface Bundles {
  readonly before: OpenBundle;
  readonly after: OpenBundle;
}

async function openBundles({ before, after }: DifferenceRequest): Promise<Bundles> {
  const old = await openBundle(before);
  try {
    return { before: old, after: await openBundle(after) };
  } catch (error) {
    old.close();
    throw error;
  }
}

/** A page that may differ. For a page in only one bundle, the other side is undefined. */
interface Candidate {
  readonly before: BundleEntry | undefined;
  readonly after: BundleEntry | undefined;
  /** Whether the page's bytes are the same, so that only the files that it shows can differ. */
  readonly isSame: boolean;
}

/**
 * Lists the pages that may differ: first those whose bytes differ, then, if any files changed, the remaining pages,
 * which may show those files.
 */
function findCandidates(
  { before, after }: Bundles,
  hasChangedFiles: boolean,
): readonly Candidate[] {
  const movedPages = findMovedPages({ before, after });
  const formerPaths = new Set([...movedPages.values()].map(({ path }) => path));
  const candidates: Candidate[] = [];
  for (const entry of after.entries.values()) {
    if (!isPage(entry.path) || formerPaths.has(entry.path)) continue;
    const former = movedPages.get(entry.path) ?? before.entries.get(entry.path);
    const isSame = former !== undefined && areEqual(former, entry);
    if (!isSame || hasChangedFiles) candidates.push({ before: former, after: entry, isSame });
  }
  for (const entry of before.entries.values()) {
    const isGone = isPage(entry.path) && !after.entries.has(entry.path);
    if (isGone && !formerPaths.has(entry.path))
      candidates.push({ before: entry, after: undefined, isSame: false });
  }
  return candidates.toSorted((one, other) => Number(one.isSame) - Number(other.isSame));
}

function isPage(path: string): boolean {
  return path.endsWith(".html") && path !== "404.html" && !path.startsWith("_octavo/");
}

function areEqual(one: BundleEntry, other: BundleEntry): boolean {
  return one.crc32 === other.crc32 && one.bytes === other.bytes;
}

/** Finds pages whose address changed: an added and a removed page, each the only one with the same Markdown. */
function findMovedPages({ before, after }: Bundles): ReadonlyMap<string, BundleEntry> {
  const removed = indexMarkdown(before, after);
  const added = indexMarkdown(after, before);
  const movedPages = new Map<string, BundleEntry>();
  for (const [key, [to, ...others]] of added) {
    const [from, ...rest] = removed.get(key) ?? [];
    if (to && from && others.length === 0 && rest.length === 0) movedPages.set(to.path, from);
  }
  return movedPages;
}

/**
 * Lists the pages that the other bundle does not contain, keyed by the bytes of the Markdown files beside them. The
 * former address of a moved page may contain a redirect to it, which has no Markdown.
 */
function indexMarkdown(bundle: OpenBundle, other: OpenBundle): ReadonlyMap<string, BundleEntry[]> {
  const index = new Map<string, BundleEntry[]>();
  for (const page of bundle.entries.values()) {
    const markdown = bundle.entries.get(page.path.replace(/\.html$/, ".md"));
    if (!isPage(page.path) || !markdown || other.entries.has(markdown.path)) continue;
    const key = `${markdown.crc32}-${markdown.bytes}`;
    index.set(key, [...(index.get(key) ?? []), page]);
  }
  return index;
}

/**
 * Lists the names of the files whose bytes differ at the same address, except for pages and the service's own files.
 */
function findChangedFiles({ before, after }: Bundles): readonly string[] {
  const names = new Set<string>();
  for (const entry of after.entries.values()) {
    if (/\.(?:html|md|txt|xml|json)$/.test(entry.path) || entry.path.startsWith("_octavo/"))
      continue;
    const former = before.entries.get(entry.path);
    if (former && !areEqual(former, entry))
      names.add(encodeURIComponent(posix.basename(entry.path)));
  }
  return [...names];
}

class DifferenceBuilder {
  readonly #bundles: Bundles;
  /** The names of files whose bytes differ. */
  readonly #changedNames: readonly string[];
  readonly #pages: DifferentPage[] = [];
  readonly #files = new Map<string, Uint8Array>();
  readonly #pictures = new Map<string, BundleEntry>();
  readonly #startedAt = performance.now();
  #markedBytes = 0;

  constructor(bundles: Bundles, changedNames: readonly string[]) {
    this.#bundles = bundles;
    this.#changedNames = changedNames;
  }

  async compare(candidate: Candidate): Promise<void> {
    const { before, after, isSame } = candidate;
    const file = (after ?? before)?.path ?? "";
    const isTooLarge = Math.max(before?.bytes ?? 0, after?.bytes ?? 0) > maxPageBytes;
    if (!isTooLarge && !this.#isAtLimit()) return await this.#compareContent(candidate, file);
    // It is unknown whether a page with the same bytes shows a changed file.
    if (!isSame) this.#pages.push({ file, title: file, kind: findKind(candidate), changes: null });
  }

  async #compareContent({ before, after, isSame }: Candidate, file: string): Promise<void> {
    const current = await this.#read(this.#bundles.after, after);
    const hasChangedFile = this.#showsChangedFile(current);
    if (isSame && !hasChangedFile) return;
    const old = await this.#read(this.#bundles.before, before);
    const isMoved = before?.path !== after?.path;
    if (!isMoved && !hasChangedFile && hasSameArticle(old, current)) return;
    this.#addMarkedPage(
      { before: skipRedirect(old), after: skipRedirect(current) },
      { before: before?.path ?? file, after: file },
    );
  }

  #addMarkedPage(
    versions: PageVersions,
    files: Readonly<Record<"before" | "after", string>>,
  ): void {
    const shownVersion = versions.after ?? versions.before;
    if (shownVersion === undefined) return;
    const file = files.after;
    const addresses = createPageAddresses(this.#bundles, files);
    const marked = markPage(versions, addresses);
    if (marked?.changes === 0) return;
    if (marked) this.#keepMarkedPage(file, marked, addresses);
    const isMoved = versions.before !== undefined && files.before !== file;
    this.#pages.push({
      file,
      ...(isMoved && { formerFile: files.before }),
      title: findTitle(shownVersion) ?? file,
      kind: findKind(versions),
      changes: marked?.changes ?? null,
    });
  }

  #showsChangedFile(page: string | undefined): boolean {
    return this.#changedNames.some((name) => page?.includes(name));
  }

  #isAtLimit(): boolean {
    const isLate = performance.now() - this.#startedAt > compareTimeoutMs;
    return isLate || this.#files.size >= maxMarkedPages || this.#markedBytes > maxMarkedBytes;
  }

  async #read(bundle: OpenBundle, entry: BundleEntry | undefined): Promise<string | undefined> {
    return entry && (await readEntry(bundle, entry, maxPageBytes)).toString();
  }

  #keepMarkedPage(path: string, { html }: MarkedPage, { pictures }: PageAddresses): void {
    const content = Buffer.from(html);
    this.#markedBytes += content.length;
    this.#files.set(path, content);
    for (const [name, entry] of pictures) this.#pictures.set(name, entry);
  }

  async pack(outFile: string): Promise<SiteDifference> {
    let remainingBytes = maxPictureBytes;
    for (const [name, entry] of this.#pictures) {
      remainingBytes -= entry.bytes;
      if (remainingBytes < 0) break;
      this.#files.set(name, await this.#bundles.before.readWhole(entry));
    }
    const sorted = this.#pages.toSorted((one, other) => compareFiles(one.file, other.file));
    const pages = sorted.slice(0, maxListedPages);
    const difference = { pages, omitted: sorted.length - pages.length };
    this.#files.set(differenceListFile, Buffer.from(JSON.stringify(difference)));
    const files = [...this.#files].map(([path, content]) => ({ path, source: () => content }));
    const { packFiles } = await import("@octavo/site");
    await packFiles(files, "zip", outFile);
    return difference;
  }
}

function compareFiles(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function findKind({ before, after }: Readonly<Record<"before" | "after", unknown>>): PageKind {
  if (after === undefined) return "removed";
  return before === undefined ? "added" : "changed";
}

/** Returns the page, or undefined if it only redirects to another page. */
function skipRedirect(page: string | undefined): string | undefined {
  return page === undefined || isRedirectPage(page) ? undefined : page;
}

/** Parses the list of a difference. Throws `unavailable` if it cannot be read. */
export async function readDifferenceList(difference: OpenBundle): Promise<SiteDifference> {
  const entry = difference.entries.get(differenceListFile);
  if (!entry) throw new OctavoError("unavailable", "The difference has no list of pages.");
  const content = await difference.readWhole(entry);
  return JSON.parse(content.toString()) as SiteDifference;
}

/** The HTML of a page's two versions. A page that was added or removed has only one version. */
interface PageVersions {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** A page with its changes marked. */
interface MarkedPage {
  /**
   * The newer version with marks: `data-difference` marks what differs, and `data-change` contains the number of the
   * change.
   */
  readonly html: string;
  readonly changes: number;
}

/** The maximum nesting depth of elements, which is also the limit of browsers. */
const maxDepth = 512;

/**
 * Marks the differences that readers see in the newer version of a page. A page that was added or removed is marked as
 * one change. Returns undefined if a version cannot be compared, because it has no article or its elements are nested
 * too deeply.
 */
function markPage(versions: PageVersions, addresses: PageAddresses): MarkedPage | undefined {
  const { before, after } = versions;
  if (before === undefined || after === undefined) return markWholePage(versions, addresses);
  const old = parseArticle(before);
  const current = parseArticle(after);
  if (!old || !current) return undefined;
  const reader = createBlockReader(current.language);
  const identify = (version: "before" | "after") => (address: string, use: AddressUse) =>
    addresses.identify(version, address, use);
  const oldBlock = reader.read(old.article, identify("before"));
  const ownBlock = reader.read(current.article, identify("after"));
  if (oldBlock.key === ownBlock.key) return { html: after, changes: 0 };
  adjustAddresses(old.article, addresses);
  const marked = new ArticleMarker(reader).mark(oldBlock, ownBlock);
  const changes = numberChanges(current.article, marked);
  return { html: serialize(current.document), changes };
}

function markWholePage(
  { before, after }: PageVersions,
  addresses: PageAddresses,
): MarkedPage | undefined {
  const page = parseArticle(after ?? before ?? "");
  if (!page) return undefined;
  if (after === undefined) adjustAddresses(page.article, addresses);
  setAttribute(page.article, "data-difference", after === undefined ? "removed" : "added");
  setAttribute(page.article, "data-change", "1");
  return { html: serialize(page.document), changes: 1 };
}

interface ParsedPage {
  readonly document: ParentNode;
  readonly article: Element;
  readonly language: string;
}

function parseArticle(page: string): ParsedPage | undefined {
  const document = parse(page);
  const article = isTooDeep(document) ? undefined : findArticle(document);
  const root = findElement(document, ({ tagName }) => tagName === "html");
  return article && { document, article, language: (root && getAttribute(root, "lang")) ?? "en" };
}

/** Makes the addresses in a former version of a page point to their original targets. */
function adjustAddresses(article: Element, { relocate }: PageAddresses): void {
  visitElements(article, (element) => {
    element.attrs = element.attrs.map(({ name, value }) => {
      return { name, value: mapAddresses({ name, value }, relocate) };
    });
  });
}

/**
 * Reports whether the articles of a page's two versions have identical HTML, so that nothing needs to be parsed. Files
 * that they show can still differ.
 */
function hasSameArticle(before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const current = cutArticle(after);
  return current !== undefined && current === cutArticle(before);
}

function cutArticle(page: string): string | undefined {
  const start = page.indexOf("<main");
  const end = page.lastIndexOf("</main>");
  return start < 0 || end < start ? undefined : page.slice(start, end);
}

/** Reports whether a page only redirects to another address. */
function isRedirectPage(page: string): boolean {
  return /<meta\s+http-equiv="?refresh/i.test(page.slice(0, maxHeadLength));
}

const maxHeadLength = 4_096;

/** Returns the title that a page shows, or else the title of its document. */
function findTitle(page: string): string | undefined {
  const document = parse(page);
  const found = findByTagOrId(document, "page-title") ?? findByTagOrId(document, "title");
  const text = found && getText(found).replaceAll(/\s+/g, " ").trim().slice(0, maxTitleLength);
  return text === "" ? undefined : text;
}

const maxTitleLength = 200;

/** Finds the element that contains a page's content. */
function findArticle(document: ParentNode): Element | undefined {
  for (const name of ["content-area", "article", "main", "body"]) {
    const found = findByTagOrId(document, name);
    if (found) return found;
  }
  return undefined;
}

/** Finds the first element with this tag name or ID. */
function findByTagOrId(document: ParentNode, name: string): Element | undefined {
  return findElement(
    document,
    (element) => element.tagName === name || getAttribute(element, "id") === name,
  );
}

function isTooDeep(document: ParentNode): boolean {
  const stack: [ParentNode, number][] = [[document, 0]];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [node, depth] = next;
    if (depth > maxDepth) return true;
    for (const child of node.childNodes) {
      if ("childNodes" in child) stack.push([child, depth + 1]);
    }
  }
  return false;
}

/** Numbers the changes in page order. Adjacent blocks that were added, removed or moved are one change. */
function numberChanges(article: Element, marked: ReadonlyMap<Element, object>): number {
  const numbers = new Map<object, number>();
  let count = 0;
  const stack: ChildNode[] = [article];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (!isElement(node)) continue;
    const change = marked.get(node);
    if (change) {
      const precedingChange = findPrecedingChange(node, marked);
      const known = numbers.get(change) ?? (precedingChange && numbers.get(precedingChange));
      const number = known ?? (count += 1);
      numbers.set(change, number);
      setAttribute(node, "data-change", String(number));
    }
    stack.push(...node.childNodes.toReversed());
  }
  return count;
}

/** Returns the change of the preceding element, if both belong to one run of whole blocks. */
function findPrecedingChange(
  element: Element,
  marked: ReadonlyMap<Element, object>,
): object | undefined {
  if (getAttribute(element, "data-difference") === "changed") return undefined;
  const siblings = element.parentNode?.childNodes ?? [];
  for (let at = siblings.indexOf(element) - 1; at >= 0; at -= 1) {
    const node = siblings[at];
    if (node && isElement(node)) {
      const isWhole = getAttribute(node, "data-difference") !== "changed";
      return isWhole ? marked.get(node) : undefined;
    }
    if (node && "value" in node && node.nodeName === "#text" && node.value.trim() !== "") break;
  }
  return undefined;
}
