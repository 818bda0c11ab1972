import { posix } from "node:path";
import { OctavoError } from "@octavo/site/core";
import { openBundle, readEntry, type BundleEntry, type OpenBundle } from "../bundles/index.ts";
import { createPageAddresses, type PageAddresses } from "./page-addresses.ts";
import {
  findTitle,
  hasSameArticle,
  isRedirectPage,
  markPage,
  type MarkedPage,
  type PageVersions,
} from "./mark-page.ts";

/** Two bundles of a site, as zip archives on this machine. */
export interface DifferenceRequest {
  readonly before: string;
  readonly after: string;
  /** Where to write the difference, as a zip. */
  readonly outFile: string;
  /** Called after each page that was read, so that a caller sees that the work goes on. */
  readonly onPage?: () => Promise<void>;
}

type PageKind = "added" | "removed" | "changed";

/** A page that readers see differently. */
export interface DifferentPage {
  /** The page's file in the bundle, such as `guide/start.html`. */
  readonly file: string;
  /** The file of a page that was moved and edited, or only moved. */
  readonly formerFile?: string;
  readonly title: string;
  readonly kind: PageKind;
  /** The number of changes; null if the page was not compared, because it or the whole difference is too large. */
  readonly changes: number | null;
}

/** The difference of two bundles. */
export interface SiteDifference {
  /** The pages by their files. */
  readonly pages: readonly DifferentPage[];
  /** The number of different pages that `pages` leaves out, because there are too many. */
  readonly omitted: number;
}

/** The operations of differences that run in a separate process. */
export interface DifferenceOperations {
  buildDifference(request: DifferenceRequest): Promise<SiteDifference>;
}

/** The file of a difference that lists its pages, as JSON. */
const differenceListFile = "_octavo/difference/pages.json";

/** The maximum size of a page that is compared. */
const maxPageBytes = 2 * 1024 * 1024;
/** The maximum number of pages with marks, and of pages in the list. */
const maxMarked = 1_000;
const maxListed = 5_000;
/** The maximum size of all marked pages, and of all former pictures. */
const maxMarkedBytes = 128 * 1024 * 1024;
const maxPictureBytes = 64 * 1024 * 1024;
/** The time after which no further page is compared, in milliseconds. */
const maxCompareMs = 60_000;

/**
 * Compares two bundles page by page, and packs the marked pages, the former pictures that they show, and the list of
 * pages. Only pages whose bytes differ are read, and those that show files whose bytes differ.
 */
export async function buildDifference(request: DifferenceRequest): Promise<SiteDifference> {
  const bundles = await openBoth(request);
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

async function openBoth({ before, after }: DifferenceRequest): Promise<Bundles> {
  const old = await openBundle(before);
  try {
    return { before: old, after: await openBundle(after) };
  } catch (error) {
    old.close();
    throw error;
  }
}

/** A page that may differ. A page that only one bundle has is on one side. */
interface Candidate {
  readonly before: BundleEntry | undefined;
  readonly after: BundleEntry | undefined;
  /** Whether the page has the same bytes, and only what it shows can differ. */
  readonly isSame: boolean;
}

/** Lists the pages that may differ: those that differ by their bytes, then the others if files that they may show do. */
function findCandidates({ before, after }: Bundles, hasFiles: boolean): readonly Candidate[] {
  const moved = findMoved({ before, after });
  const movedFrom = new Set([...moved.values()].map(({ path }) => path));
  const candidates: Candidate[] = [];
  for (const entry of after.entries.values()) {
    if (!isPage(entry.path) || movedFrom.has(entry.path)) continue;
    const former = moved.get(entry.path) ?? before.entries.get(entry.path);
    const isSame = former !== undefined && areEqual(former, entry);
    if (!isSame || hasFiles) candidates.push({ before: former, after: entry, isSame });
  }
  for (const entry of before.entries.values()) {
    const isGone = isPage(entry.path) && !after.entries.has(entry.path);
    if (isGone && !movedFrom.has(entry.path))
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

/** Finds pages that have another address now: the only added ones with the Markdown of the only removed ones. */
function findMoved({ before, after }: Bundles): ReadonlyMap<string, BundleEntry> {
  const removed = indexMarkdown(before, after);
  const added = indexMarkdown(after, before);
  const moved = new Map<string, BundleEntry>();
  for (const [key, [to, ...others]] of added) {
    const [from, ...rest] = removed.get(key) ?? [];
    if (to && from && others.length === 0 && rest.length === 0) moved.set(to.path, from);
  }
  return moved;
}

/**
 * Lists the pages that another bundle does not have, by the bytes of the Markdown beside them. At the address of a page
 * that moved can be one that leads to it, which has no Markdown.
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

/** Lists the names of the files that have other bytes under the same address, apart from pages and our own files. */
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
  /** The names of files that have other bytes. */
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
    if (!isTooLarge && !this.#isFull()) return await this.#compareContent(candidate, file);
    // Whether a page with the same bytes shows a changed file is not known.
    if (!isSame) this.#pages.push({ file, title: file, kind: findKind(candidate), changes: null });
  }

  async #compareContent({ before, after, isSame }: Candidate, file: string): Promise<void> {
    const own = await this.#read(this.#bundles.after, after);
    const showsFile = this.#showsChangedFile(own);
    if (isSame && !showsFile) return;
    const old = await this.#read(this.#bundles.before, before);
    const isMoved = before?.path !== after?.path;
    if (!isMoved && !showsFile && hasSameArticle(old, own)) return;
    this.#mark(
      { before: skipRedirect(old), after: skipRedirect(own) },
      { before: before?.path ?? file, after: file },
    );
  }

  #mark(versions: PageVersions, files: Readonly<Record<"before" | "after", string>>): void {
    const shown = versions.after ?? versions.before;
    if (shown === undefined) return;
    const file = files.after;
    const addresses = createPageAddresses(this.#bundles, files);
    const marked = markPage(versions, addresses);
    if (marked?.changes === 0) return;
    if (marked) this.#keep(file, marked, addresses);
    const isMoved = versions.before !== undefined && files.before !== file;
    this.#pages.push({
      file,
      ...(isMoved && { formerFile: files.before }),
      title: findTitle(shown) ?? file,
      kind: findKind(versions),
      changes: marked?.changes ?? null,
    });
  }

  #showsChangedFile(page: string | undefined): boolean {
    return this.#changedNames.some((name) => page?.includes(name));
  }

  #isFull(): boolean {
    const isLate = performance.now() - this.#startedAt > maxCompareMs;
    return isLate || this.#files.size >= maxMarked || this.#markedBytes > maxMarkedBytes;
  }

  async #read(bundle: OpenBundle, entry: BundleEntry | undefined): Promise<string | undefined> {
    return entry && (await readEntry(bundle, entry, maxPageBytes)).toString();
  }

  #keep(path: string, { html }: MarkedPage, { pictures }: PageAddresses): void {
    const content = Buffer.from(html);
    this.#markedBytes += content.length;
    this.#files.set(path, content);
    for (const [name, entry] of pictures) this.#pictures.set(name, entry);
  }

  async pack(outFile: string): Promise<SiteDifference> {
    let left = maxPictureBytes;
    for (const [name, entry] of this.#pictures) {
      left -= entry.bytes;
      if (left < 0) break;
      this.#files.set(name, await this.#bundles.before.readWhole(entry));
    }
    const sorted = this.#pages.toSorted((one, other) => compareFiles(one.file, other.file));
    const pages = sorted.slice(0, maxListed);
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

/** Returns nothing for a page that only leads to another one. */
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
