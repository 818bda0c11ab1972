import vm from "node:vm";
import type { BundleFile } from "../../packages/site/src/core/index.ts";
import type { RenderedPage } from "../../packages/site/src/export/index.ts";
import type { SearchedPage } from "../../packages/site/src/search/testing.ts";
import type { SearchIndexCache } from "../../packages/site/src/search/index.ts";
import {
  listPageNames,
  indexPageTerms,
  createSearchFiles,
} from "../../packages/site/src/search/index.ts";
import type { Site, SitePage } from "../../packages/site/src/site/index.ts";

/** The search of a bundle without a browser: its own scripts, with as much of a document as they use. */
export interface BundleSearch {
  query(text: string): Promise<readonly FoundSection[]>;
  /** Files of the index that were loaded so far. */
  readonly loaded: readonly string[];
}

export interface FoundSection {
  readonly href: string;
  /** The title, with matches in brackets. */
  readonly title: string;
  readonly heading: string;
  readonly excerpt: string;
}

interface Engine {
  open(options: { files: string; name: string }): Promise<unknown>;
  query(
    text: string,
  ): Promise<readonly (Record<"title" | "heading" | "excerpt", string[]> & { href: string })[]>;
}

/** A page as the renderer hands it to the index: its title is the heading of its first section. */
export function searchPage(
  path: string,
  title: string,
  sections: readonly (readonly [id: string, heading: string, text: string])[],
  more: Partial<SitePage> = {},
): { readonly page: SitePage; readonly rendered: RenderedPage } {
  const page = {
    path,
    title,
    navTitle: title,
    frontmatter: { extra: {} },
    searchable: true,
    positions: [],
    ...more,
  } as unknown as SitePage;
  const parts = sections.map(([id, heading, text]) => ({ id, heading, text }));
  const { boost = 1, frontmatter } = page;
  const { description = "" } = frontmatter;
  const terms = indexPageTerms(parts, { names: listPageNames(page), description, boost });
  return { page, rendered: { terms } as RenderedPage };
}

export async function searchFilesOf(
  pages: readonly SearchedPage[],
  cache?: SearchIndexCache,
): Promise<BundleFile[]> {
  const site = { navigation: { divisions: [], entries: [] } } as unknown as Site;
  return [...(await createSearchFiles(site, pages, cache))];
}

/** `name` is the indexes to search, blanks between. */
export async function openSearch(
  pages: readonly ReturnType<typeof searchPage>[],
  name = "all",
): Promise<BundleSearch> {
  const files = new Map((await searchFilesOf(pages)).map((file) => [file.path, file.content]));
  return openBundleSearch((path) => files.get(path), name);
}

/** Opens the search of a bundle; `readContent` returns undefined if there is no such file. */
export async function openBundleSearch(
  readContent: (path: string) => string | Uint8Array | undefined,
  name: string,
): Promise<BundleSearch> {
  const loaded: string[] = [];
  const context = vm.createContext({
    document: {
      createElement: () => Object.assign(new EventTarget(), { src: "" }),
      head: {
        append(script: EventTarget & { src: string }) {
          const path = decodeURIComponent(script.src);
          const content = readContent(path);
          if (content === undefined) return script.dispatchEvent(new Event("error"));
          loaded.push(path);
          vm.runInContext(String(content), context);
          return script.dispatchEvent(new Event("load"));
        },
      },
    },
  });
  vm.runInContext(String(readContent("_octavo/search/search.js")), context);
  const engine = vm.runInContext("octavoSearch", context) as Engine;
  await engine.open({ files: "_octavo/", name });
  return {
    loaded,
    async query(text) {
      const results = await engine.query(text);
      return Array.from(results, ({ href, title, heading, excerpt }) => ({
        href,
        title: withMarks(title),
        heading: withMarks(heading),
        excerpt: withMarks(excerpt),
      }));
    },
  };
}

function withMarks(pieces: readonly string[]): string {
  return Array.from(pieces, (piece, at) => (at % 2 === 0 ? piece : `[${piece}]`)).join("");
}
