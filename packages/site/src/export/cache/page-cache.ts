import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BlockCache } from "../archive/archive-items.ts";
import type { RenderedPage } from "../page/rendered-page.ts";
import { sha256 } from "../../core/index.ts";
import type { ArchiveBlock } from "../archive/deflate.ts";
import { CacheDamagedError } from "./cache-damaged.ts";
import type { PageTerms } from "../../search/index.ts";
import { openSegmentStore, dayMs, maxUnusedMs } from "./segment-store.ts";
import type { SegmentStore, StoredParts } from "./segment-store.ts";

/**
 * Caches rendered pages by page key. The cache can be lost at any time, and nothing is cached if the folder is not
 * writable. In both cases, pages are rendered again, and no method throws.
 */
export interface PageCache extends Disposable {
  /**
   * Returns a page whose outline is empty and whose text, terms, anchors and references are read on access. They can be
   * accessed until the cache is disposed of. Access throws `CacheDamagedError` if the stored data is corrupt.
   */
  get(key: string): CachedPage | undefined;
  /** Stores a page and returns it as `get` would in the next export. Returns undefined if it cannot be written. */
  put(key: string, page: RenderedPage): CachedPage | undefined;
  /** The cache of archive blocks, which are stored in the same files as pages. */
  readonly blocks: BlockCache;
  /** Writes the stored pages to disk, so that they outlive the process. */
  flush(): void;
  /** Removes entries that no export has used for a month, at most once a day. */
  prune(now?: number): Promise<void>;
}

interface CachedPage extends RenderedPage {
  /** The size of `markdown` in bytes, which is known without reading it. */
  readonly markdownBytes: number;
}

/** The index of each part in a page's record. The other fields of the page are in the record's head. */
const partNumbers = {
  html: 0,
  markdown: 1,
  shown: 2,
  texts: 3,
  postings: 4,
  anchors: 5,
  references: 6,
  schemaScript: 7,
} as const;
type PartName = keyof typeof partNumbers;

/**
 * The fields of a page that are not parts of its record. The record's head consists of the number of sections,
 * `anchorsHash`, and these facts as JSON.
 */
interface PageFacts extends Omit<
  RenderedPage,
  | "html"
  | "markdown"
  | "schemaScript"
  | "hasSchemaScript"
  | "terms"
  | "anchors"
  | "anchorsHash"
  | "references"
> {
  readonly hasFrames: boolean;
}

const numberBytes = 4;
const anchorsHashLength = 16;
/**
 * The maximum number of references that remain in memory; they take about 10 MB. References remain in memory because
 * several consecutive steps of an export read the references of all pages that are new or have problems.
 */
const maxKeptReferences = 50_000;
/**
 * The maximum length, as JSON, of facts that pages share. Longer facts contain problems or changelogs, which are
 * specific to one page.
 */
const maxSharedLength = 1_000;

/**
 * Opens a cache in a folder that several processes may use at the same time, because a key always identifies the same
 * page. `version` is the version of the renderer.
 */
export function openPageCache(
  folder: string,
  version: string,
  maxReferences = maxKeptReferences,
): PageCache {
  const store = openSegmentStore(join(folder, "pages"));
  const readFacts = createFactsReader();
  let keptCount = 0;
  function mayKeep({ length }: RenderedPage["references"]): boolean {
    if (keptCount + length > maxReferences) return false;
    keptCount += length;
    return true;
  }
  return {
    get(key) {
      const record = store.find(key);
      if (!record) return undefined;
      const { head } = record;
      const facts = readFacts(head.toString("utf8", numberBytes + anchorsHashLength));
      return new StoredPage(record, facts, {
        sectionCount: head.readUInt32LE(),
        anchorsHash: head.toString("latin1", numberBytes, numberBytes + anchorsHashLength),
        mayKeep,
      });
    },
    put(key, page) {
      const { html, markdown, schemaScript, terms, anchors, references, ...others } = page;
      const { sectionCount, shown, texts, postings } = terms;
      const lists = [anchors, references].map((list) => Buffer.from(JSON.stringify(list)));
      const anchorsHash = sha256(lists[0] ?? "").slice(0, anchorsHashLength);
      const hasFrames = references.some(({ kind }) => kind === "frame");
      const facts = JSON.stringify({ ...others, outline: [], hasFrames } satisfies PageFacts);
      const number = Buffer.alloc(numberBytes);
      number.writeUInt32LE(sectionCount);
      const head = Buffer.concat([number, Buffer.from(anchorsHash + facts)]);
      const { buffer, byteOffset, byteLength } = postings;
      const numbers = new Uint8Array(buffer, byteOffset, byteLength);
      const content = [html, markdown, shown, texts, numbers, ...lists, schemaScript];
      const stored = store.append(key, head, content);
      const keptReferences = mayKeep(references) ? { references } : {};
      const own = { sectionCount, anchorsHash, mayKeep, ...keptReferences };
      return stored && new StoredPage(stored, readFacts(facts), own);
    },
    blocks: createBlockCache(store, version),
    flush: () => store.flush(),
    async prune(now = Date.now()) {
      store.compact(now);
      if (!(await claimPruning(folder, now))) return;
      for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
        if (entry.isFile() && entry.name !== pruneMark) {
          const grace = entry.name.endsWith(".part") ? dayMs : maxUnusedMs;
          await removeUnused(join(entry.parentPath, entry.name), now - grace);
        }
      }
    },
    [Symbol.dispose]: () => store.close(),
  };
}

/**
 * Creates a parser for the facts of pages. Most pages have the same facts as many others, so short facts are parsed
 * once and shared. Other pages share at least icon names, class names and script text.
 */
function createFactsReader(): (json: string) => PageFacts {
  const texts = new Map<string, string>();
  const sharedFacts = new Map<string, PageFacts>();
  function shareText(text: string): string {
    const found = texts.get(text);
    if (found === undefined) texts.set(text, text);
    return found ?? text;
  }
  function parse(json: string): PageFacts {
    const facts = JSON.parse(json) as PageFacts;
    return {
      ...facts,
      icons: facts.icons.map(shareText),
      classNames: facts.classNames.map(shareText),
      scripts: facts.scripts.map(({ name, text }) => ({ name, text: shareText(text) })),
    };
  }
  return (json) => {
    const found = sharedFacts.get(json);
    if (found) return found;
    const facts = parse(json);
    if (json.length <= maxSharedLength) sharedFacts.set(json, facts);
    return facts;
  };
}

/** The facts that are specific to one page. `references` is set if the references remain in memory. */
interface OwnFacts {
  readonly sectionCount: number;
  readonly anchorsHash: string;
  readonly references?: RenderedPage["references"];
  /** Reserves memory for references that were read. Returns false if no memory is left for them. */
  readonly mayKeep: (references: RenderedPage["references"]) => boolean;
}

/**
 * A cached page whose text, terms, anchors and references are read on access. It is a class because separate getters
 * would take a kilobyte per page.
 */
class StoredPage implements CachedPage {
  readonly terms: PageTerms;
  readonly markdownBytes: number;
  readonly anchorsHash: string;
  readonly outline: RenderedPage["outline"];
  readonly hasFrames: boolean;
  readonly remoteFiles: RenderedPage["remoteFiles"];
  readonly icons: RenderedPage["icons"];
  readonly classNames: RenderedPage["classNames"];
  readonly scripts: RenderedPage["scripts"];
  declare readonly changes?: NonNullable<RenderedPage["changes"]>;
  declare readonly sheetClassNames?: NonNullable<RenderedPage["sheetClassNames"]>;
  readonly problems: RenderedPage["problems"];
  readonly barriers: RenderedPage["barriers"];
  readonly dependencies: RenderedPage["dependencies"];
  readonly #record: StoredParts;
  readonly #mayKeep: OwnFacts["mayKeep"];
  #references: RenderedPage["references"] | undefined;

  constructor(record: StoredParts, facts: PageFacts, own: OwnFacts) {
    this.#record = record;
    this.#references = own.references;
    this.#mayKeep = own.mayKeep;
    this.markdownBytes = record.bytesOf(partNumbers.markdown);
    this.terms = new StoredTerms(record, own.sectionCount);
    this.anchorsHash = own.anchorsHash;
    this.outline = facts.outline;
    this.hasFrames = facts.hasFrames;
    this.remoteFiles = facts.remoteFiles;
    this.icons = facts.icons;
    this.classNames = facts.classNames;
    this.scripts = facts.scripts;
    if (facts.changes) this.changes = facts.changes;
    if (facts.sheetClassNames) this.sheetClassNames = facts.sheetClassNames;
    this.problems = facts.problems;
    this.barriers = facts.barriers;
    this.dependencies = facts.dependencies;
  }

  get html(): Buffer {
    return readPart(this.#record, "html");
  }
  get markdown(): Buffer {
    return readPart(this.#record, "markdown");
  }
  get schemaScript(): Buffer {
    return readPart(this.#record, "schemaScript");
  }
  get hasSchemaScript(): boolean {
    return this.#record.bytesOf(partNumbers.schemaScript) > 0;
  }
  get anchors(): RenderedPage["anchors"] {
    return JSON.parse(readPart(this.#record, "anchors").toString()) as RenderedPage["anchors"];
  }
  get references(): RenderedPage["references"] {
    if (this.#references) return this.#references;
    const list = readPart(this.#record, "references").toString();
    const references = JSON.parse(list) as RenderedPage["references"];
    if (this.#mayKeep(references)) this.#references = references;
    return references;
  }
}

class StoredTerms implements PageTerms {
  readonly sectionCount: number;
  readonly shownBytes: number;
  readonly #record: StoredParts;

  constructor(record: StoredParts, sectionCount: number) {
    this.#record = record;
    this.sectionCount = sectionCount;
    this.shownBytes = record.bytesOf(partNumbers.shown);
  }

  get shown(): Buffer {
    return readPart(this.#record, "shown");
  }
  get texts(): Buffer {
    return readPart(this.#record, "texts");
  }
  get postings(): Uint32Array {
    const { buffer, byteOffset, length } = readPart(this.#record, "postings");
    return new Uint32Array(buffer, byteOffset, length / 4);
  }
}

function readPart(record: StoredParts, name: PartName): Buffer {
  try {
    return record.readPart(partNumbers[name]);
  } catch (cause) {
    throw new CacheDamagedError(cause);
  }
}

/** The size of the memory into which blocks are read. Nearly every block fits into it. */
const blockMemoryBytes = 1024 * 1024;

function createBlockCache(store: SegmentStore, version: string): BlockCache {
  /** The new blocks, which the store cannot find until it is opened again. */
  const newBlocks = new Map<
    string,
    { readonly facts: ArchiveBlock["facts"]; readonly parts: StoredParts }
  >();
  let memory: Buffer | undefined;
  function find(key: string) {
    const record = store.find(key);
    return record
      ? { facts: JSON.parse(record.head.toString()) as number[], parts: record }
      : newBlocks.get(key);
  }
  return {
    version,
    factsOf: (key) => find(key)?.facts,
    get(key) {
      const found = find(key);
      if (!found) return undefined;
      memory ??= Buffer.allocUnsafeSlow(blockMemoryBytes);
      try {
        return { content: found.parts.readPart(0, memory), facts: found.facts };
      } catch {
        return undefined;
      }
    },
    put(key, { content, facts }) {
      const parts = store.append(key, Buffer.from(JSON.stringify(facts)), [content]);
      if (parts) newBlocks.set(key, { facts, parts });
    },
  };
}

/** The name of a file whose modification time records the last pruning. */
const pruneMark = "pruned";

/** Claims today's pruning. Returns false if it was already claimed or nothing can be written. */
async function claimPruning(folder: string, now: number): Promise<boolean> {
  const mark = join(folder, pruneMark);
  const last = await stat(mark).catch(() => undefined);
  if (last && now - last.mtimeMs < dayMs) return false;
  return writeFile(mark, "").then(
    () => true,
    () => false,
  );
}

async function removeUnused(file: string, beforeMs: number): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found && found.mtimeMs < beforeMs) await rm(file, { force: true });
}
