import { limits } from "../core/index.ts";
import {
  createRedirectMatcher,
  stripOrderNumbers,
  type Site,
  type SiteRedirect,
} from "../site/index.ts";
import { findCodeRanges, isInCode, splitAddress } from "../text/index.ts";
import { readHead, type PageSource } from "./read-pages.ts";
import type { SiteSettings } from "./site-settings.ts";

/** The parts of a site on which its base paths depend. */
interface BasePathSource extends Pick<
  Site,
  "root" | "config" | "configFile" | "configPositions" | "redirects" | "assets"
> {
  readonly pages: readonly Pick<PageSource, "path" | "file" | "isGenerated">[];
}

/** The maximum number of pages whose addresses are read. On a large site, these pages are evenly distributed. */
const maxSampledPages = 256;
/** If fewer addresses agree, or all lead to the same page or file, they are treated as mistakes. */
const minAgreeing = 3;
const minTargets = 2;
/** The number of addresses that must agree on a folder for each address that contradicts it. */
const minAgreeingPerContradiction = 2;

/**
 * Finds the folders on its host below which a site is served, such as `docs` in `https://example.com/docs`: the folders
 * of the base URL and of `seo.metatags.canonical`, then a folder that is inferred from the addresses in pages. A folder
 * that the site does not have is inferred if several addresses lead to a page or file only without it, and few
 * addresses contradict it. An address contradicts the folder if it begins with the folder and leads nowhere even
 * without it, like an outdated address, or if it is correct as written. The result is the same for the same files,
 * although large sites are not read completely.
 */
export async function findBasePaths(
  source: BasePathSource,
  { baseUrl, signal }: Pick<SiteSettings, "baseUrl" | "signal">,
): Promise<readonly string[]> {
  const configuredPaths = [baseUrl, source.config.seo.metatags["canonical"]].map(readBasePath);
  const configured = new Set(configuredPaths.filter((path) => path !== undefined));
  const inferred = await inferBasePath(source, { configured, signal });
  return inferred === undefined ? [...configured] : [...configured, inferred];
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

/** Returns the path of an address without leading and trailing slashes, or undefined if the path is empty. */
function readBasePath(address: string | undefined): string | undefined {
  const { pathname = "" } = (address !== undefined && URL.parse(address)) || {};
  const path = decodePath(pathname).replaceAll(/^\/+|\/+$/g, "");
  return path === "" ? undefined : path;
}

type AddressKind = "page" | "file";

const addressKinds: readonly AddressKind[] = ["page", "file"];

/** Weighs the addresses of a site that lead to a page or file only without their first folder. */
class AddressCount {
  readonly #source: BasePathSource;
  /** The names at the site's top level and the configured base paths. */
  readonly #names: ReadonlySet<string>;
  /** Addresses that do not begin with a folder that is missing from the site. */
  readonly #others: Readonly<Record<AddressKind, string[]>> = { page: [], file: [] };
  readonly #folders = new Map<string, Record<AddressKind, FolderAddresses>>();
  #lookup: AddressLookup | undefined;

  constructor(source: BasePathSource, configured: ReadonlySet<string>) {
    this.#source = source;
    const authored = source.pages.filter(({ isGenerated }) => !isGenerated);
    const names = [...authored.map(({ path }) => path), ...source.assets].map(getTopName);
    this.#names = new Set([...names, ...configured]);
  }

  /** Counts an address. Reports whether it leads to a page or file only without its first folder. */
  add(target: string): boolean {
    const path = decodePath(splitAddress(target).path).replaceAll(/^\/+|\/+$/g, "");
    const kind = /\.(?!mdx?$|html?$)[a-z\d]{2,5}$/i.test(path) ? "file" : "page";
    const folder = getTopName(path);
    if (folder === path || this.#names.has(folder)) {
      this.#others[kind].push(path);
      return false;
    }
    const found = this.#folders.get(folder) ?? {
      page: { agreeing: 0, targets: new Set(), lost: 0 },
      file: { agreeing: 0, targets: new Set(), lost: 0 },
    };
    this.#folders.set(folder, found);
    // Most sites have no address that begins with such a folder.
    this.#lookup ??= createLookup(this.#source);
    if (!this.#lookup.isFoundWithoutFolder(path)) {
      found[kind].lost += 1;
      return false;
    }
    found[kind].agreeing += 1;
    found[kind].targets.add(path);
    return true;
  }

  /** Reports whether enough addresses agree on a folder, regardless of the addresses that contradict it. */
  get hasEnoughAgreeing(): boolean {
    return this.#listFrequent().length > 0;
  }

  /**
   * Returns the folder on which enough addresses agree: at least twice as many as contradict it. Counts all addresses,
   * or only the addresses of pages or only the addresses of files if these suffice, because some sites write only one
   * of the two kinds with the folder.
   */
  findBasePath(): string | undefined {
    const foundAsWritten = {
      page: this.#countFound(this.#others.page),
      file: this.#countFound(this.#others.file),
    };
    const found = this.#listFrequent().find(({ counts }) =>
      [addressKinds, ...addressKinds.map((kind) => [kind])].some((weighedKinds) => {
        const agreeing = sum(weighedKinds.map((kind) => counts[kind].agreeing));
        const contradicting = sum(
          weighedKinds.map((kind) => counts[kind].lost + foundAsWritten[kind]),
        );
        return agreeing >= Math.max(minAgreeing, minAgreeingPerContradiction * contradicting);
      }),
    );
    return found?.folder;
  }

  #countFound(paths: readonly string[]): number {
    return paths.filter((path) => this.#lookup?.isFound(path)).length;
  }

  #listFrequent() {
    return Array.from(this.#folders, ([folder, counts]) => ({
      folder,
      counts,
      count: counts.page.agreeing + counts.file.agreeing,
      targets: counts.page.targets.size + counts.file.targets.size,
    }))
      .filter(({ count, targets }) => count >= minAgreeing && targets >= minTargets)
      .toSorted((a, b) => b.count - a.count);
  }
}

/** The addresses that begin with a folder. */
interface FolderAddresses {
  /** The number of addresses that lead to a page or file only without the folder. */
  agreeing: number;
  readonly targets: Set<string>;
  /** The number of addresses that do not lead to a page or file, even without the folder. */
  lost: number;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function getTopName(path: string): string {
  return path.split("/", 1)[0] ?? "";
}

interface AddressLookup {
  /** Reports whether a path leads to a page or file. */
  isFound(path: string): boolean;
  /** Reports whether a path leads to a page or file only without its first folder. */
  isFoundWithoutFolder(path: string): boolean;
}

function createLookup(source: BasePathSource): AddressLookup {
  const isPlain = source.configFile === "none";
  const paths = new Set(
    source.pages.flatMap(({ path }) => (isPlain ? [path, stripOrderNumbers(path)] : [path])),
  );
  const files = new Set(source.assets);
  const redirectOf = createRedirectMatcher(listAuthoredRedirects(source));
  const isFound = (path: string) => {
    const page = path.replace(/\.(?:mdx?|html?)$/, "");
    return files.has(path) || paths.has(page) || paths.has(`${page}/index`);
  };
  return {
    isFound,
    isFoundWithoutFolder: (path) =>
      isFound(path.slice(path.indexOf("/") + 1)) && redirectOf(path) === undefined,
  };
}

function listAuthoredRedirects({ redirects }: BasePathSource): readonly SiteRedirect[] {
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
  const roughCount = new AddressCount(source, configured);
  for (const address of addresses) roughCount.add(address);
  const agreeing = await addAddresses(roughCount, listQuotedAddresses, { source, sample, signal });
  if (!roughCount.hasEnoughAgreeing) return undefined;
  const exactCount = new AddressCount(source, configured);
  for (const address of addresses) exactCount.add(address);
  await addAddresses(exactCount, listRootAddresses, { source, sample: [...agreeing], signal });
  if (!exactCount.hasEnoughAgreeing) return undefined;
  const others = sample.filter((page) => !agreeing.has(page));
  await addAddresses(exactCount, listRootAddresses, { source, sample: others, signal });
  return exactCount.findBasePath();
}

/** Lists the root-relative addresses of the configuration, except the destinations of redirects. */
function listConfiguredAddresses(source: BasePathSource): readonly string[] {
  const destinations = new Set(listAuthoredRedirects(source).map(({ destination }) => destination));
  const addresses = [...(source.configPositions?.addresses.keys() ?? [])];
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
  if (pages.length <= maxSampledPages) return pages;
  const step = pages.length / maxSampledPages;
  return Array.from({ length: maxSampledPages }, (_, at) => pages[Math.floor(at * step)]).filter(
    (page) => page !== undefined,
  );
}

/** A delimiter, followed by a root-relative address with a folder. */
const quotedAddress = /[("'`<](\/[^\s"'`<>(){}/\\]{1,200}\/[^\s"'`<>(){}]{0,300})/g;

/** Yields every root-relative address with a folder in a page, and possibly other text. Does not decode the page. */
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
