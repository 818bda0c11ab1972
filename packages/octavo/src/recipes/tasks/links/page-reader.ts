import { toPagePath } from "../../pages.ts";
import type { Plan } from "../../plan.ts";
import { readFiles } from "../../site-tools.ts";
import type { Listing } from "../../site-tools.ts";
import { listHeadings, listAnchors } from "../../text/anchors.ts";
import type { Anchor, Section } from "../../text/anchors.ts";

/** Reads each page at most once and caches what its text contains. Pages are identified by path. */
export interface PageReader {
  /** Every text that was read, by file. */
  readonly texts: ReadonlyMap<string, string>;
  readonly fileOf: (page: string) => string | undefined;
  readFiles(files: readonly string[]): Plan<void>;
  read(pages: readonly string[]): Plan<void>;
  /** Returns the anchors of a page in document order; undefined if the page was not read. */
  readonly anchorsOf: (page: string) => readonly Anchor[] | undefined;
  /** Returns the headings of a page with their texts; empty if the page was not read. */
  readonly sectionsOf: (page: string) => readonly Section[];
}

export function createPageReader({ files }: Listing): PageReader {
  const byPage = new Map(files.map((file) => [toPagePath(file), file]));
  const texts = new Map<string, string>();
  const textOf = (page: string): string | undefined => texts.get(byPage.get(page) ?? "");
  const sectionsOf = createCache(textOf, listHeadings);

  function* readOnce(wanted: readonly string[]): Plan<void> {
    const unread = new Set(wanted.filter((file) => !texts.has(file)));
    for (const [file, text] of yield* readFiles([...unread])) texts.set(file, text);
  }

  return {
    texts,
    fileOf: (page) => byPage.get(page),
    readFiles: readOnce,
    read: (pages) => readOnce(pages.flatMap((page) => byPage.get(page) ?? [])),
    anchorsOf: createCache(textOf, listAnchors),
    sectionsOf: (page) => sectionsOf(page) ?? [],
  };
}

/** Caches values derived from a page's text; undefined if the page was not read. */
function createCache<T>(
  textOf: (page: string) => string | undefined,
  read: (text: string) => T,
): (page: string) => T | undefined {
  const known = new Map<string, T>();
  return (page) => {
    const text = known.has(page) ? undefined : textOf(page);
    if (text !== undefined) known.set(page, read(text));
    return known.get(page);
  };
}
