import { limits } from "../core/index.ts";
import { createRedirectMatcher, type Site, type SiteRedirect } from "../site/index.ts";
import { findCodeRanges, isInCode, splitAddress } from "../text/index.ts";
import { readHead, type PageSource } from "./read-pages.ts";
import type { SiteSettings } from "./site-settings.ts";

/** The parts of a site on which its base paths depend. */
interface BasePathSource extends Pick<
  Site,
  "root" | "config" | "configPlaces" | "redirects" | "assets"
> {
  readonly pages: readonly Pick<PageSource, "path" | "file" | "isGenerated">[];
}

/** The maximum number of pages whose addresses are read. On a large site, these pages are evenly distributed. */
const maxSample = 256;
/** The minimum number of addresses that must share a folder; fewer are treated as mistakes. */
const minAddresses = 3;

/**
 * Finds the base paths under which a host serves a site, in order: the paths of the base URL and of
 * `seo.metatags.canonical`, then a folder that is inferred from addresses. The inferred folder does not exist in the
 * site, several addresses lead to pages or files only without it, and at least half of the root-relative addresses of
 * pages, or of files, begin with it. The result is the same for the same files, although large sites are sampled.
 */
export async function findBasePaths(
  source: BasePathSource,
  { baseUrl, signal }: Pick<SiteSettings, "baseUrl" | "signal">,
): Promise<readonly string[]> {
  const named = [baseUrl, source.config.seo.metatags["canonical"]].map(readBasePath);
  const configured = new Set(named.filter((path) => path !== undefined));
  const agreed = await inferBasePath(source, { configured, signal });
  return agreed === undefined ? [...configured] : [...configured, agreed];
}

/** Reports whether a site's base paths are the same after the text of pages has changed. */
export async function hasSameBasePaths(
  site: Site,
  settings: Pick<SiteSettings, "baseUrl" | "signal">,
  changed: ReadonlySet<string>,
): Promise<boolean> {
  if (!listSample(site).some(({ file }) => changed.has(file))) return true;
  const found = await findBasePaths(site, settings);
  return found.join("\n") === (site.basePaths ?? []).join("\n");
}

/** Returns the path of an address without leading and trailing slashes; undefined if the path is empty. */
function readBasePath(address: string | undefined): string | undefined {
  const { pathname = "" } = (address !== undefined && URL.parse(address)) || {};
  const path = decodePath(pathname).replaceAll(/^\/+|\/+$/g, "");
  return path === "" ? undefined : path;
}

type AddressKind = "page" | "file";

const kinds: readonly AddressKind[] = ["page", "file"];

/** Counts the addresses that lead to a page or file of a site only without their first folder. */
class AddressCount {
  readonly #source: BasePathSource;
  /** The site's top-level names and the known base paths, which do not need to be inferred. */
  readonly #names: ReadonlySet<string>;
  readonly #totals = { page: 0, file: 0 };
  readonly #folders = new Map<string, Record<AddressKind, number>>();
  #leadsSomewhere: ((path: string) => boolean) | undefined;

  constructor(source: BasePathSource, configured: ReadonlySet<string>) {
    this.#source = source;
    const authored = source.pages.filter(({ isGenerated }) => !isGenerated);
    const names = [...authored.map(({ path }) => path), ...source.assets].map(getRoot);
    this.#names = new Set([...names, ...configured]);
  }

  /** Counts an address. Reports whether it leads to a page or file only without its first folder. */
  add(target: string): boolean {
    const path = decodePath(splitAddress(target).path).replaceAll(/^\/+|\/+$/g, "");
    const kind = /\.(?!mdx?$|html?$)[a-z\d]{2,5}$/i.test(path) ? "file" : "page";
    this.#totals[kind] += 1;
    const folder = getRoot(path);
    if (folder === path || this.#names.has(folder)) return false;
    // Created on demand, because most sites do not have such addresses.
    this.#leadsSomewhere ??= createLookup(this.#source);
    if (!this.#leadsSomewhere(path)) return false;
    const counts = this.#folders.get(folder) ?? { page: 0, file: 0 };
    counts[kind] += 1;
    this.#folders.set(folder, counts);
    return true;
  }

  /** Returns the folder that begins the most addresses; undefined if there are fewer than `minAddresses`. */
  findCandidate(): string | undefined {
    return this.#listFrequent()[0]?.folder;
  }

  /** Returns the folder that begins enough addresses and at least half of the addresses of pages, or of files. */
  findBasePath(): string | undefined {
    const found = this.#listFrequent().find(({ counts }) =>
      kinds.some((kind) => counts[kind] > 0 && counts[kind] * 2 >= this.#totals[kind]),
    );
    return found?.folder;
  }

  #listFrequent() {
    return Array.from(this.#folders, ([folder, counts]) => ({
      folder,
      counts,
      count: counts.page + counts.file,
    }))
      .filter(({ count }) => count >= minAddresses)
      .toSorted((a, b) => b.count - a.count);
  }
}

function getRoot(path: string): string {
  return path.split("/", 1)[0] ?? "";
}

/** Creates a function that reports whether a path leads to a page or file only without its first folder. */
function createLookup(source: BasePathSource): (path: string) => boolean {
  const paths = new Set(source.pages.map(({ path }) => path));
  const files = new Set(source.assets);
  const redirectOf = createRedirectMatcher(listAuthored(source));
  return (path) => {
    const inner = path.slice(path.indexOf("/") + 1);
    const page = inner.replace(/\.(?:mdx?|html?)$/, "");
    const isThere = files.has(inner) || paths.has(page) || paths.has(`${page}/index`);
    return isThere && redirectOf(path) === undefined;
  };
}

function listAuthored({ redirects }: BasePathSource): readonly SiteRedirect[] {
  return redirects.map((redirect) => ({ ...redirect, ...redirect.authored }));
}

async function inferBasePath(
  source: BasePathSource,
  {
    configured,
    signal,
  }: { readonly configured: ReadonlySet<string>; readonly signal: AbortSignal | undefined },
): Promise<string | undefined> {
  const addresses = listConfiguredAddresses(source);
  const sample = listSample(source);
  // Finding code takes longer than reading a page and is needed on few sites, so the first count includes code.
  const rough = new AddressCount(source, configured);
  for (const address of addresses) rough.add(address);
  const agreeing = await addAddresses(rough, listQuotedAddresses, { source, sample, signal });
  if (rough.findCandidate() === undefined) return undefined;
  const exact = new AddressCount(source, configured);
  for (const address of addresses) exact.add(address);
  await addAddresses(exact, listRootAddresses, { source, sample: [...agreeing], signal });
  if (exact.findCandidate() === undefined) return undefined;
  const others = sample.filter((page) => !agreeing.has(page));
  await addAddresses(exact, listRootAddresses, { source, sample: others, signal });
  return exact.findBasePath();
}

/** Lists the root-relative addresses of the configuration, except destinations of redirects. */
function listConfiguredAddresses(source: BasePathSource): readonly string[] {
  const destinations = new Set(listAuthored(source).map(({ destination }) => destination));
  const addresses = [...(source.configPlaces?.addresses.keys() ?? [])];
  return addresses.filter((address) => /^\/[^/]/.test(address) && !destinations.has(address));
}

type PageFile = BasePathSource["pages"][number];

/** Counts the addresses in pages. Returns the pages with addresses that need their first folder removed. */
async function addAddresses(
  count: AddressCount,
  listAddresses: (head: Buffer) => Iterable<string>,
  from: {
    readonly source: BasePathSource;
    readonly sample: readonly PageFile[];
    readonly signal: AbortSignal | undefined;
  },
): Promise<ReadonlySet<PageFile>> {
  const buffer = Buffer.allocUnsafe(limits.frontmatterBytes);
  const agreeing = new Set<PageFile>();
  for (const page of from.sample) {
    from.signal?.throwIfAborted();
    const head = await readHead(from.source.root, page.file, buffer);
    for (const address of Buffer.isBuffer(head) ? listAddresses(head) : []) {
      if (count.add(address)) agreeing.add(page);
    }
  }
  return agreeing;
}

/** Returns the sampled pages. The sample does not depend on whether generated API pages have been added. */
function listSample(source: Pick<BasePathSource, "pages">): readonly PageFile[] {
  const pages = source.pages.filter(({ isGenerated }) => !isGenerated);
  if (pages.length <= maxSample) return pages;
  const step = pages.length / maxSample;
  return Array.from({ length: maxSample }, (_, at) => pages[Math.floor(at * step)]).filter(
    (page) => page !== undefined,
  );
}

/** A delimiter, followed by a root-relative address with a folder. */
const quotedAddress = /[("'`<](\/[^\s"'`<>(){}/\\]{1,200}\/[^\s"'`<>(){}]{0,300})/g;

/** Yields at least the root-relative addresses with a folder in a page, without decoding the page. */
function* listQuotedAddresses(head: Buffer): Generator<string> {
  for (const [, address = ""] of head.toString("latin1").matchAll(quotedAddress)) {
    yield /[^ -~]/.test(address) ? Buffer.from(address, "latin1").toString() : address;
  }
}

/** The syntax before a root-relative address in Markdown or in an attribute, and the address. */
const rootAddress =
  /(?:\]\([ \t]{0,9}<?|\b(?:href|src|img|image|icon|poster)[ \t]{0,9}=[ \t]{0,9}(?:\{[ \t]{0,9})?["'`])(\/[^\s"'`<>(){}/\\][^\s"'`<>(){}]{0,500})/g;

/** Yields the root-relative addresses in a page, except those in code. */
function* listRootAddresses(head: Buffer): Generator<string> {
  const text = head.toString();
  let code: ReturnType<typeof findCodeRanges> | undefined;
  for (const { index, 1: address = "" } of text.matchAll(rootAddress)) {
    code ??= findCodeRanges(text);
    if (!isInCode(code, index)) yield address;
  }
}

function decodePath(path: string): string {
  if (!path.includes("%")) return path.normalize("NFC");
  try {
    return decodeURIComponent(path).normalize("NFC");
  } catch {
    return path;
  }
}
