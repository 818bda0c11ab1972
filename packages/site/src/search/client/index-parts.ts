/** What `index.js` of an index says; see `searchFiles`. */
interface IndexFile {
  readonly pages: readonly number[];
  readonly terms: readonly string[];
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

/** One index of the bundle, whose parts are loaded when they are asked for. */
export interface SearchIndex {
  /** The number of its sections. */
  readonly count: number;
  /** The page of each section. */
  readonly pages: Uint32Array;
  readonly summaries: ReadonlySet<string>;
  /** All lines of terms that begin with `beginning`, and are not greater than `last`. */
  lines(beginning: string, last: string): Promise<string[]>;
  /** Words that typing errors are led to, the most used first. */
  words(): Promise<readonly string[]>;
  /** What results show of a section and its page. */
  section(number: number): Promise<readonly [page: DocPage, section: DocSection]>;
}

export interface IndexParts {
  /** Called by the index's own scripts. */
  readonly put: (name: string, part: string, value: unknown) => void;
  readonly open: (root: string, name: string) => Promise<SearchIndex>;
}

export function createIndexParts(): IndexParts {
  const parts = new Map<string, unknown>();
  const loading = new Map<string, Promise<unknown>>();

  function load(root: string, name: string, part: string): Promise<unknown> {
    const key = `${name}/${part}`;
    const known = loading.get(key);
    if (known) return known;
    const promise = parts.has(key)
      ? Promise.resolve()
      : loadIndexScript(`${root}_octavo/search/${encodeURIComponent(name)}/${part}.js`);
    const value = promise.then(() => parts.get(key));
    loading.set(key, value);
    value.catch(() => loading.delete(key));
    return value;
  }

  return {
    put: (name, part, value) => void parts.set(`${name}/${part}`, value),
    async open(root, name) {
      const file = (await load(root, name, "index")) as IndexFile;
      return createIndex(file, (part) => load(root, name, part));
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
  const pages = Uint32Array.from(file.pages.flatMap((count, page) => Array(count).fill(page)));
  let vocabulary: readonly string[] | undefined;
  return {
    count: pages.length,
    pages,
    summaries: new Set(file.summaries.split(" ")),
    async lines(beginning, last) {
      const numbers = [...file.terms.keys()].filter((number) => {
        const next = file.terms[number + 1];
        return (file.terms[number] ?? "") <= last && (next === undefined || next > beginning);
      });
      const chunks = await Promise.all(numbers.map((number) => load(`terms-${number}`)));
      return chunks.flatMap((chunk) => linesWith(chunk as string, beginning));
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
        at -= page[3].length;
      }
      throw new Error(`The search index has no section ${number}.`);
    },
  };
}

/** The lines of a chunk that begin so; they stand together. */
function linesWith(chunk: string, beginning: string): string[] {
  const lines: string[] = [];
  let start = chunk.startsWith(beginning) ? 0 : chunk.indexOf(`\n${beginning}`) + 1;
  while (chunk.startsWith(beginning, start)) {
    const end = chunk.indexOf("\n", start);
    lines.push(chunk.slice(start, end === -1 ? chunk.length : end));
    if (end === -1) break;
    start = end + 1;
  }
  return lines;
}
