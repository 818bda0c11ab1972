import { cleanRelativePath, limits, ProblemLog } from "../../core/index.ts";
import type {
  ApiDescription,
  ApiSubject,
  ChannelEntry,
  OperationEntry,
} from "../../openapi/index.ts";
import { getOperationTitle } from "../../openapi/index.ts";
import type { Frontmatter } from "../../site/index.ts";
import { readFrontmatter } from "../frontmatter.ts";
import type { PageSource } from "../read-pages.ts";
import type { ApiSource } from "./api-source.ts";
import type { Descriptions, KnownDescription } from "./descriptions.ts";
import { formatOperationName } from "./operation-index.ts";
import type { OperationText } from "./operation-index.ts";

/** The content of a page in addition to, or instead of, its own file. */
export interface PageMaterial {
  /** The complete source, for a page without its own file. */
  readonly source?: string;
  /** The part of an API that the page should show but cannot. */
  readonly absentSubject?: AbsentSubject;
  /** The part of an API that the page shows. */
  readonly subject?: ApiSubject;
  /** Returns the subject's position in its description, for problems of a page without a file. */
  readonly locate?: () => ReturnType<ApiDescription["getLocation"]>;
  /** Finds a string of the subject in its description. */
  readonly find?: (text: string) => ReturnType<ApiDescription["findText"]>;
}

/** A description that could not be read, or an operation, schema or channel that was not found. */
export interface AbsentSubject {
  readonly kind: "description" | "part";
  /** The path or address of a description; the name of a part, as the author wrote it. */
  readonly name: string;
}

/** The pages of one group, in order. Pages without a label are listed next to the groups. */
export interface PageGroup {
  readonly label?: string;
  readonly pages: readonly PageSource[];
}

interface ApiPagesOptions {
  readonly descriptions: Descriptions;
  /** Pages with files, by path. */
  readonly authoredPages: ReadonlyMap<string, PageSource>;
  readonly problems: ProblemLog;
}

type Entry = OperationEntry | ChannelEntry;

/** A part of a description, with the path of its page in one directory. */
interface Part {
  readonly entry: Entry;
  readonly path: string;
}

/**
 * Generates the pages that do not have files: one for each operation, webhook and channel that the navigation names. A
 * file with the same path takes precedence.
 */
export class ApiPages {
  /** The generated pages, by path. */
  readonly generated = new Map<string, PageSource>();
  readonly materials = new Map<string, PageMaterial>();
  readonly #options: ApiPagesOptions;
  /** The parts of each description, by directory and location. */
  readonly #parts = new Map<string, ReadonlyMap<Entry, Part>>();
  /** The owner of each assigned path. */
  readonly #owners = new Map<string, string>();
  /** The last number that was appended to each path. */
  readonly #counts = new Map<string, number>();

  constructor(options: ApiPagesOptions) {
    this.#options = options;
  }

  /** Returns the page of an operation, or undefined if the author excluded it or the site has too many pages. */
  getOperationPage(
    known: KnownDescription,
    entry: OperationEntry,
    directory: string,
  ): PageSource | undefined {
    const part = this.#partsOf(known, directory).get(entry);
    return part && this.#getPage(known, part);
  }

  /** Returns all pages of a source's descriptions; operations are grouped by their first tags. */
  listGroups({ names, file, directory }: ApiSource, label: string): PageGroup[] {
    return names.flatMap((name) => {
      const named = this.#options.descriptions.findByName(name, file);
      const known = named.find(({ found }) => found) ?? named[0];
      if (known?.found) return this.#groupsOf(known, directory);
      const page = known && this.createAbsentPage(known, directory, label);
      return page ? [{ pages: [page] }] : [];
    });
  }

  /**
   * Creates a page that shows that a description could not be read, for one of its operations or for a whole source
   * with this label.
   */
  createAbsentPage(
    known: KnownDescription,
    directory: string,
    wanted: string | OperationText,
  ): PageSource | undefined {
    const isWhole = typeof wanted === "string";
    const title = isWhole ? wanted : formatOperationName(wanted);
    const name = isWhole ? wanted : `${wanted.method} ${wanted.path.replaceAll("/", "")}`;
    const path = `${directory}/${createAddressPart(name) || "overview"}`;
    const operation = isWhole ? {} : { openapi: title, sidebarTitle: wanted.path };
    const frontmatter = { title, ...operation, extra: {} };
    return this.#add(known, path, {
      frontmatter,
      material: { source: "", absentSubject: { kind: "description", name: known.location } },
    });
  }

  #groupsOf(known: KnownDescription, directory: string): PageGroup[] {
    const groups = new Map<string | undefined, PageSource[]>();
    const names = new Map<string, string>();
    groups.set(undefined, []);
    // Declared tags come first, in the order of the description.
    for (const { name, group } of known.found?.description.tags ?? []) {
      if (names.has(name)) continue;
      names.set(name, group);
      groups.set(name, []);
    }
    for (const part of this.#partsOf(known, directory).values()) {
      const page = this.#getPage(known, part);
      const tag = "tag" in part.entry ? part.entry.tag : undefined;
      const group = groups.get(tag);
      if (page && group) group.push(page);
      else if (page) groups.set(tag, [page]);
    }
    return [...groups].flatMap(([tag, pages]): PageGroup[] => {
      if (pages.length === 0) return [];
      return [tag === undefined ? { pages } : { label: names.get(tag) ?? tag, pages }];
    });
  }

  /** Assigns all paths of a description together, so that they do not depend on the order of the navigation. */
  #partsOf(known: KnownDescription, directory: string): ReadonlyMap<Entry, Part> {
    const key = `${directory}\0${known.location}`;
    let parts = this.#parts.get(key);
    if (!parts) this.#parts.set(key, (parts = this.#assignPaths(known, directory)));
    return parts;
  }

  #assignPaths(known: KnownDescription, directory: string): Map<Entry, Part> {
    const parts = new Map<Entry, Part>();
    const { operations = [], channels = [] } = known.found?.description ?? {};
    for (const entry of operations) {
      if (entry.isExcluded) continue;
      const owner = `${known.location}#${entry.pointer} ${entry.path}`;
      const chosenPath = this.#claimChosenPath(known, entry, owner);
      const path =
        chosenPath ?? this.#claimFreePath(`${directory}/${createOperationAddress(entry)}`, owner);
      parts.set(entry, { entry, path });
    }
    for (const entry of channels) {
      const owner = `${known.location}#${entry.pointer}`;
      const path = this.#claimFreePath(
        `${directory}/${createAddressPart(entry.name) || "channel"}`,
        owner,
      );
      parts.set(entry, { entry, path });
    }
    return parts;
  }

  #claimChosenPath(
    known: KnownDescription,
    { page: { href }, pointer }: OperationEntry,
    owner: string,
  ): string | undefined {
    if (href === undefined) return undefined;
    const path = parsePageAddress(href);
    const isTaken = path !== undefined && (this.#owners.get(path) ?? owner) !== owner;
    if (path !== undefined && !isTaken) {
      this.#owners.set(path, owner);
      return path;
    }
    const fault = isTaken ? "is the address of another operation" : "is not a valid page address";
    const message = `"x-mint.href" ${JSON.stringify(href.slice(0, 200))} ${fault}; the default address is used.`;
    this.#warn(known, message, pointer);
    return undefined;
  }

  /** Claims the first free path of `wanted`, `wanted-1`, `wanted-2` and so on. */
  #claimFreePath(wanted: string, owner: string): string {
    let path = wanted;
    let count = this.#counts.get(wanted) ?? 0;
    while (this.#isTakenByAnother(path, owner)) path = `${wanted}-${++count}`;
    this.#counts.set(wanted, count);
    this.#owners.set(path, owner);
    return path;
  }

  #isTakenByAnother(path: string, owner: string): boolean {
    const currentOwner = this.#owners.get(path);
    return currentOwner !== undefined && currentOwner !== owner;
  }

  #getPage(known: KnownDescription, { entry, path }: Part): PageSource | undefined {
    const { description } = known.found ?? {};
    const page = this.#options.authoredPages.get(path) ?? this.generated.get(path);
    if (page || !description) return page;
    const frontmatter =
      "method" in entry
        ? this.#buildOperationFrontmatter(known, entry)
        : { title: entry.title, asyncapi: `${known.location}#${entry.pointer}`, extra: {} };
    const source = "method" in entry ? (entry.page.content ?? "") : "";
    const subject = description.getSubject(entry);
    const locate = () => description.getLocation(entry.pointer);
    const find = (text: string) => description.findText(text, entry.pointer);
    return this.#add(known, path, {
      frontmatter,
      material: {
        source,
        locate,
        find,
        ...(subject ? { subject } : { absentSubject: describeAbsentPart(entry) }),
      },
    });
  }

  #add(
    { file }: KnownDescription,
    path: string,
    content: { readonly frontmatter: Frontmatter; readonly material: PageMaterial },
  ): PageSource | undefined {
    const { authoredPages, problems } = this.#options;
    const existing = authoredPages.get(path) ?? this.generated.get(path);
    if (existing) return existing;
    if (authoredPages.size + this.generated.size >= limits.pages) {
      const message = `The site has more than ${limits.pages} pages; the remaining API pages are omitted.`;
      problems.fail("site_too_large", message, { file });
      return undefined;
    }
    const { frontmatter } = content;
    const title = frontmatter.title ?? frontmatter.sidebarTitle ?? path;
    const page: PageSource = {
      path,
      file,
      format: "mdx",
      frontmatter,
      title,
      navTitle: frontmatter.sidebarTitle ?? title,
      isGenerated: true,
    };
    this.generated.set(path, page);
    this.materials.set(path, content.material);
    return page;
  }

  /** Builds the frontmatter from the operation; values of `x-mint.metadata` take precedence. */
  #buildOperationFrontmatter(known: KnownDescription, entry: OperationEntry): Frontmatter {
    const metadata = this.#readMetadata(known, entry);
    const description = findShortDescription(entry.description);
    const isNamed = entry.summary !== undefined || metadata.title !== undefined;
    const defaults: Frontmatter = {
      title: getOperationTitle(entry),
      // The sidebar shows the method next to the path.
      ...(isNamed ? {} : { sidebarTitle: entry.path }),
      ...(description === undefined ? {} : { description }),
      ...(entry.isDeprecated ? { deprecated: true } : {}),
      extra: {},
    };
    const hidden = entry.isHidden ? { hidden: true } : {};
    return { ...defaults, ...metadata, ...hidden, openapi: formatOperationName(entry) };
  }

  #readMetadata(known: KnownDescription, entry: OperationEntry): Frontmatter {
    const { openapi: _, ...metadata } = entry.page.metadata;
    if (Object.keys(metadata).length === 0) return { extra: {} };
    // JSON is valid YAML, so the values are validated like a page's frontmatter.
    const log = new ProblemLog();
    const frontmatterSource = { file: known.file, firstLine: 1, problems: log };
    const frontmatter = readFrontmatter(JSON.stringify(metadata), frontmatterSource);
    for (const { message } of log.listSorted())
      this.#warn(known, `${message} ("x-mint")`, entry.pointer);
    return frontmatter;
  }

  #warn(known: KnownDescription, message: string, pointer: string): void {
    const location = known.found?.description.getLocation(pointer) ?? { file: known.file };
    this.#options.problems.warn("description_value_invalid", message, location);
  }
}

/** Describes a part of an API that cannot be shown, such as a channel whose `$ref` has no target. */
function describeAbsentPart(entry: Entry): AbsentSubject {
  return { kind: "part", name: "method" in entry ? formatOperationName(entry) : entry.name };
}

/** Returns a description that fits below a title: one line without markup. Other descriptions are part of the body. */
function findShortDescription(description: string | undefined): string | undefined {
  const isPlain = description !== undefined && /^[^\n`*_[\]<>{}#|\\]{1,300}$/.test(description);
  return isPlain ? description : undefined;
}

/** The maximum number of bytes in a name. File systems allow 255, including the extension and the number. */
const maxNameBytes = 200;

/**
 * Converts text to one segment of a generated page's path, as published sites do: `Create a plant` becomes
 * `create-a-plant`, and `/plants/{id}/seeds` becomes `plants-seeds`. Preserves accents and letters of other scripts.
 */
export function createAddressPart(text: string): string {
  const name = text
    .slice(0, maxNameBytes)
    .normalize("NFC")
    .replaceAll(/\{[^{}]*\}/g, "-")
    .replaceAll(/\s/g, "-")
    // Published sites omit some of these characters; file names and addresses cannot contain the others.
    .replaceAll(/[{}(),.'/\\:*?"<>|#%\p{Cc}]/gu, "")
    .replaceAll(/-{2,}/g, "-")
    .toLowerCase();
  return truncate(name.replace(/^-/, "").replace(/-$/, ""));
}

/** Truncates a name to `maxNameBytes` without splitting a character. */
function truncate(name: string): string {
  const bytes = Buffer.from(name);
  return bytes.length <= maxNameBytes
    ? name
    : decoder.decode(bytes.subarray(0, maxNameBytes)).replace(/\uFFFD$/, "");
}

const decoder = new TextDecoder();

/** Returns the path of an operation's page in its directory, such as `plants/create-a-plant` for the tag `plants`. */
function createOperationAddress({ kind, method, path, summary, tag }: OperationEntry): string {
  const fallbackPart =
    kind === "webhook" ? createAddressPart(path) : `${method}-${createAddressPart(path)}`;
  const summaryPart = summary === undefined ? "" : createAddressPart(summary);
  const folder = tag === undefined ? "" : createAddressPart(tag);
  return [folder, summaryPart === "" ? fallbackPart : summaryPart]
    .filter((part) => part !== "")
    .join("/");
}

/** Converts an author's address to a page path. Returns undefined if it is not valid for a page. */
export function parsePageAddress(href: string): string | undefined {
  const path = cleanRelativePath(href.replace(/\.(?:mdx?|html)$/, ""));
  if (path === undefined || path === "" || /[\p{Cc}#?%:*"<>|]/u.test(path)) return undefined;
  const parts = path.split("/");
  const isUsable = parts.every(
    (part) =>
      !part.startsWith(".") &&
      !/\.(?:html|md)$/i.test(part) &&
      Buffer.byteLength(part) <= maxNameBytes,
  );
  return isUsable && parts[0] !== "_octavo" && parts.length <= maxPathParts ? path : undefined;
}

const maxPathParts = 32;
