import { computeReservedNumbers } from "../postings.ts";

/** The contents of `index.js`; see `createSearchFiles`. */
interface IndexFile {
  /** Number of sections of each page. */
  readonly pages: readonly number[];
  readonly terms: readonly string[];
  /** The number of the first section of each file. */
  readonly docs: readonly number[];
  readonly summaries: string;
}

type DocSection = readonly [id: string, heading: string, excerpt: string];

type DocPage = readonly [
  href: string,
  title: string,
  breadcrumb: string,
  sections: readonly DocSection[],
];

/** An index of the bundle, whose parts are loaded on demand. */
export interface SearchIndex {
  /** Number of sections. Section numbers can be larger, because some numbers do not belong to a section. */
  readonly count: number;
  /** The page of each section number, whether or not the number belongs to a section. */
  readonly pages: Uint32Array;
  /** The number of sections of each page. */
  readonly sizes: readonly number[];
  readonly summaries: ReadonlySet<string>;
  /** Returns the lines of all terms that begin with `prefix` and do not sort after `last`. */
  lines(prefix: string, last: string): Promise<string[]>;
  /** Returns the words to which typos are corrected. The most frequent words come first. */
  words(): Promise<readonly string[]>;
  /** Returns the data that results show for a section and its page. */
  section(number: number): Promise<readonly [page: DocPage, section: DocSection]>;
}

interface IndexParts {
  /** The function that the scripts of an index call. */
  readonly put: (name: string, part: string, value: unknown) => void;
  readonly open: (files: string, name: string) => Promise<SearchIndex>;
}

export function createIndexParts(): IndexParts {
  const parts = new Map<string, unknown>();
  const loads = new Map<string, Promise<unknown>>();

  function load(files: string, name: string, part: string): Promise<unknown> {
    const key = `${name}/${part}`;
    const existing = loads.get(key);
    if (existing) return existing;
    const promise = parts.has(key)
      ? Promise.resolve()
      : loadIndexScript(`${files}search/${encodeURIComponent(name)}/${part}.js`);
    const value = promise.then(() => parts.get(key));
    loads.set(key, value);
    value.catch(() => loads.delete(key));
    return value;
  }

  return {
    put: (name, part, value) => void parts.set(`${name}/${part}`, value),
    async open(files, name) {
      const file = (await load(files, name, "index")) as IndexFile;
      return createIndex(file, (part) => load(files, name, part));
    },
  };
}

function loadIndexScript(src: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = src;
    script.addEventListener("load", () => resolve());
    script.addEventListener("error", () =>
      reject(new Error(`The search index could not be loaded: ${script.src}`)),
    );
    document.head.append(script);
  });
}

function createIndex(file: IndexFile, load: (part: string) => Promise<unknown>): SearchIndex {
  const pages = Uint32Array.from(
    file.pages.flatMap((count, page) => Array(computeReservedNumbers(count)).fill(page)),
  );
  let vocabulary: readonly string[] | undefined;
  return {
    count: file.pages.reduce((sum, count) => sum + count, 0),
    pages,
    sizes: file.pages,
    summaries: new Set(file.summaries.split(" ")),
    async lines(prefix, last) {
      const numbers = [...file.terms.keys()].filter((number) => {
        const next = file.terms[number + 1];
        return (file.terms[number] ?? "") <= last && (next === undefined || next > prefix);
      });
      const chunks = await Promise.all(numbers.map((number) => load(`terms-${number}`)));
      return chunks.flatMap((chunk) => findLines(chunk as string, prefix));
    },
    async words() {
      return (vocabulary ??= ((await load("words")) as string).split(" "));
    },
    async section(number) {
      const chunk = file.docs.findLastIndex((first) => first <= number);
      let at = number - (file.docs[chunk] ?? 0);
      for (const page of (await load(`docs-${chunk}`)) as readonly DocPage[]) {
        const section = page[3][at];
        if (section) return [page, section];
        at -= computeReservedNumbers(page[3].length);
      }
      throw new Error(`The search index has no section ${number}.`);
    },
  };
}

/** Returns the lines of a chunk that begin with `prefix`. Such lines are adjacent. */
function findLines(chunk: string, prefix: string): string[] {
  const lines: string[] = [];
  let start = chunk.startsWith(prefix) ? 0 : chunk.indexOf(`\n${prefix}`) + 1;
  while (chunk.startsWith(prefix, start)) {
    const end = chunk.indexOf("\n", start);
    lines.push(chunk.slice(start, end === -1 ? chunk.length : end));
    if (end === -1) break;
    start = end + 1;
  }
  return lines;
}
