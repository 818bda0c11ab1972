import { cp, mkdir, readFile, readdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import type { LinkedSite, Place } from "./site-links.ts";

/** The ways in which history broke a link. */
export const breakKinds = [
  "page moved",
  "folder renamed",
  "page renamed",
  "folder split",
  "folder flattened",
  "names restyled",
  "page merged",
  "page removed",
  "heading reworded",
  "section moved",
  "link on a moved page",
  "prefix added",
  "prefix dropped",
  "typing error",
  "extension",
  "case",
  "anchor misspelt",
  "wrong folder",
  "wrong level",
] as const;
export type BreakKind = (typeof breakKinds)[number];

/** Where a link that was good must lead by now. */
export interface Expected {
  readonly kind: BreakKind;
  /** Each of these targets is correct; empty if the page was permanently removed. */
  readonly places: readonly Place[];
}

interface PageFate {
  readonly kind: BreakKind;
  /** Undefined where it was removed for good. */
  readonly page: string | undefined;
  /** The section that a former page became. */
  readonly section?: string;
}

/** A copy of a site that is changed as its authors would change it, and that knows where everything went. */
export interface EditedSite {
  readonly folder: string;
  /** As it was when the links were good. */
  readonly before: LinkedSite;
  readPage(page: string): Promise<string>;
  writePage(page: string, text: string): Promise<void>;
  /** Moves a page's file and its entry in the navigation. */
  movePage(page: string, to: string, kind: BreakKind): Promise<void>;
  /** Removes a page for good, or after its text became a section of another. */
  removePage(
    page: string,
    into?: { readonly page: string; readonly section: string },
  ): Promise<void>;
  /** Says that a place has another id, or is on another page by now; each of `to` leads there. */
  moveAnchor(from: Place, to: readonly Place[], kind: BreakKind): void;
  /** Whether a page has this name now. */
  has(page: string): boolean;
  /** Whether nothing happened to the page yet. */
  isUntouched(page: string): boolean;
  touch(page: string): void;
  /** Returns the current name of the page with this old name; undefined if it was removed. */
  pageNow(page: string): string | undefined;
  /** Returns the old name of the page with this current name. */
  pageBefore(page: string): string;
  /** Returns the expected new location; undefined if it did not change. */
  expect(place: Place): Expected | undefined;
}

const copied = new Set([".md", ".mdx", ".json", ".yml", ".yaml", ".svg", ".jsx", ".txt"]);

/** Copies what pages are made of; other files are not needed to follow links between pages. */
export async function copySite(from: string, to: string): Promise<void> {
  // Of a link, the folder is copied.
  await cp(await realpath(from), to, {
    recursive: true,
    filter: (path) => extname(path) === "" || copied.has(extname(path).toLowerCase()),
  });
}

export async function openEditedSite(folder: string, before: LinkedSite): Promise<EditedSite> {
  const files = new Map(before.site.pages.map(({ path, file }) => [path, file]));
  const fates = new Map<string, PageFate>();
  const anchors = new Map<string, { readonly to: readonly Place[]; readonly kind: BreakKind }>();
  const touched = new Set<string>();
  const configurations = await jsonFiles(folder);

  const fileOf = (page: string): string => join(folder, files.get(page) ?? "");
  const pageNow = (page: string): string | undefined => {
    const fate = fates.get(page);
    return fate === undefined ? page : fate.page;
  };

  async function rewriteNavigation(page: string, to: string | undefined): Promise<void> {
    for (const file of configurations) {
      const text = await readFile(file, "utf8");
      const quoted = JSON.stringify(page);
      if (!text.includes(quoted)) continue;
      const next =
        to === undefined ? withoutItem(text, quoted) : text.replaceAll(quoted, JSON.stringify(to));
      await writeFile(file, next);
    }
  }

  return {
    folder,
    before,
    readPage: (page) => readFile(fileOf(page), "utf8"),
    writePage: (page, text) => writeFile(fileOf(page), text),
    async movePage(page, to, kind) {
      const file = `${to}${extname(files.get(page) ?? "")}`;
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await rename(fileOf(page), join(folder, file));
      files.set(page, file);
      fates.set(page, { kind, page: to });
      touched.add(page);
      await rewriteNavigation(page, to);
    },
    async removePage(page, into) {
      await rm(fileOf(page));
      fates.set(
        page,
        into ? { kind: "page merged", ...into } : { kind: "page removed", page: into },
      );
      touched.add(page);
      await rewriteNavigation(page, undefined);
    },
    moveAnchor(from, to, kind) {
      anchors.set(keyOf(from), { to, kind });
    },
    has: (page) => [...fates.values()].some((fate) => fate.page === page && !fate.section),
    isUntouched: (page) => !touched.has(page),
    touch: (page) => touched.add(page),
    pageNow,
    pageBefore: (page) =>
      [...fates].find(([, fate]) => fate.page === page && fate.section === undefined)?.[0] ?? page,
    expect(place) {
      const moved = anchors.get(keyOf(place));
      if (moved) {
        const places = moved.to.flatMap((to) => {
          const page = pageNow(to.page);
          return page === undefined ? [] : [{ ...to, page }];
        });
        return { kind: moved.kind, places };
      }
      const fate = fates.get(place.page);
      if (fate === undefined) return undefined;
      const { kind, page, section } = fate;
      if (page === undefined) return { kind, places: [] };
      if (section === undefined) return { kind, places: [{ page, anchor: place.anchor }] };
      const places = ["", section, place.anchor].map((anchor) => ({ page, anchor }));
      return { kind, places };
    },
  };
}

function keyOf({ page, anchor }: Place): string {
  return `${page}#${anchor}`;
}

/** The configuration and the files that it may consist of; specifications are larger. */
async function jsonFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** JSON without an item of a list. */
function withoutItem(text: string, item: string): string {
  const at = text.indexOf(item);
  if (at === -1) return text;
  const [before, after] = [text.slice(0, at), text.slice(at + item.length)];
  if (/[[,]\s*$/.test(before) && /^\s*,/.test(after)) {
    return withoutItem(before + after.replace(/^\s*,\s*/, ""), item);
  }
  if (/,\s*$/.test(before) && /^\s*\]/.test(after)) {
    return withoutItem(before.replace(/,\s*$/, "") + after, item);
  }
  if (/\[\s*$/.test(before) && /^\s*\]/.test(after)) return before + after;
  return text;
}
