import { readdirSync, statSync } from "node:fs";
import type { Dirent } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  isOctavoError,
  realPathInsideSync,
  limits,
  byCodeUnit,
  type ProblemLog,
} from "../core/index.ts";
import type { IgnoreRules } from "./ignore-rules.ts";
import type { SiteSettings } from "./site-settings.ts";

/** The files of a site's folder, as far as anything of them can be published. */
export interface FolderListing {
  /** `.md` and `.mdx` files that may be pages, sorted, relative to the root with forward slashes. */
  readonly pages: readonly string[];
  /** All other files, sorted. */
  readonly others: readonly string[];
}

export interface ListFolderOptions {
  readonly rules: IgnoreRules;
  readonly problems: ProblemLog;
}

type FolderSettings = Pick<SiteSettings, "outDir" | "archive" | "signal">;

/** Folders listed before other work gets its turn; without promises they cost a third. */
const sliceLength = 64;
/** Where the bundle keeps its own files. */
const reservedFolder = "_octavo";
const snippetFolders: ReadonlySet<string> = new Set(["snippets", "_snippets"]);
const pagePattern = /\.mdx?$/;

/**
 * Lists what a site's folder publishes, in the same order on every machine. Links are followed to a
 * file inside the folder that could be published itself, never to a folder and never out.
 */
export async function listFolder(
  root: string,
  settings: FolderSettings,
  options: ListFolderOptions,
): Promise<FolderListing> {
  const bundles = await bundlePaths(settings);
  const walk = new FolderWalk(await realpath(root), bundles, options);
  await walk.run(settings.signal);
  return walk.listing();
}

/** What is being written: no part of the site where it lies in its folder. */
async function bundlePaths({ outDir, archive }: FolderSettings): Promise<ReadonlySet<string>> {
  const folder = outDir && (await realpath(outDir).catch(() => undefined));
  const parent = archive && (await realpath(dirname(archive.file)).catch(() => undefined));
  const file = archive && parent && join(parent, basename(archive.file));
  return new Set([outDir, folder, file].filter((path) => path !== undefined));
}

/** Whether a file is a page by its place and name: Markdown outside the folders of snippets. */
function isPageFile(path: string): boolean {
  const top = path.split("/", 1)[0] ?? "";
  return pagePattern.test(path) && !snippetFolders.has(top) && !path.startsWith(".");
}

/** The parts of a name that would break a path, a line of text or another page's files. */
function invalidNameReason(name: string): string | undefined {
  if (/[\p{Cc}\\\u{FFFD}]/u.test(name)) return "holds a backslash or a character without a sign";
  return undefined;
}

class FolderWalk {
  readonly #root: string;
  readonly #bundles: ReadonlySet<string>;
  readonly #options: ListFolderOptions;
  readonly #files: string[] = [];
  #isFull = false;

  constructor(root: string, bundles: ReadonlySet<string>, options: ListFolderOptions) {
    this.#root = root;
    this.#bundles = bundles;
    this.#options = options;
  }

  async run(signal: AbortSignal | undefined): Promise<void> {
    const folders = [""];
    let count = 0;
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (++count % sliceLength === 0) await nextTurn();
      signal?.throwIfAborted();
      const entries = readdirSync(join(this.#root, folder), { withFileTypes: true });
      if (folder !== "" && (await this.#isBundle(folder, entries))) continue;
      entries.sort((a, b) => byCodeUnit(a.name, b.name));
      for (const entry of entries) {
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (this.#shouldEnter(path, entry)) folders.push(path);
        if (this.#isFull) return;
      }
    }
  }

  /** An export into the site's own folder, this one or an earlier one, is not part of the site. */
  async #isBundle(folder: string, entries: readonly Dirent[]): Promise<boolean> {
    const path = join(this.#root, folder);
    if (this.#bundles.has(path)) return true;
    if (!entries.some(({ name }) => name === reservedFolder)) return false;
    const report = await stat(join(path, reservedFolder, "report.json")).catch(() => undefined);
    return report?.isFile() ?? false;
  }

  listing(): FolderListing {
    const files = this.#files.toSorted(byCodeUnit);
    const pages = files.filter(isPageFile);
    if (pages.length > limits.pages) {
      this.#options.problems.fail(
        "site_too_large",
        `The site has ${pages.length} pages; only the first ${limits.pages} are exported.`,
        { file: pages[limits.pages] ?? "" },
      );
    }
    const others = files.filter((file) => !pagePattern.test(file));
    return { pages: pages.slice(0, limits.pages), others };
  }

  /** Takes a file into the listing; answers for a folder whether the walk goes into it. */
  #shouldEnter(path: string, entry: Dirent): boolean {
    if (isHidden(path) || this.#bundles.has(join(this.#root, path))) return false;
    const isFolder = entry.isDirectory();
    if (this.#options.rules.isIgnored(isFolder ? `${path}/` : path)) return false;
    if (isFolder) return this.#isAllowedFolder(path, entry.name);
    const fault = invalidNameReason(entry.name);
    if (fault !== undefined) {
      const message = `The name of this file ${fault}; it is left out.`;
      this.#options.problems.fail("file_name_invalid", message, { file: printable(path) });
    } else if (entry.isFile() || (entry.isSymbolicLink() && this.#isUsableLink(path))) {
      this.#addFile(path);
    }
    return false;
  }

  #isAllowedFolder(path: string, name: string): boolean {
    const { problems } = this.#options;
    const fault = invalidNameReason(name);
    if (fault !== undefined || /\.(?:html|md)$/i.test(name) || path === reservedFolder) {
      // A page `a` becomes the files a.html and a.md: a folder of that name could not stand beside them.
      const reason = fault ?? "is one that exported files need";
      const message = `The name of this folder ${reason}; what it holds is left out.`;
      problems.fail("file_name_invalid", message, { file: printable(path) });
      return false;
    }
    if (path.split("/").length <= limits.folderDepth) return true;
    const message = `Folders nested deeper than ${limits.folderDepth} are left out.`;
    problems.fail("folder_too_deep", message, { file: path });
    return false;
  }

  #addFile(path: string): void {
    if (this.#files.length < limits.files) {
      this.#files.push(path);
      return;
    }
    this.#isFull = true;
    const message = `The site has more than ${limits.files} files; the rest are left out.`;
    this.#options.problems.fail("site_too_large", message, { file: path });
  }

  #isUsableLink(path: string): boolean {
    const { problems, rules } = this.#options;
    try {
      const real = realPathInsideSync(this.#root, path);
      const target = relative(this.#root, real).split(sep).join("/");
      const stats = statSync(real);
      if (stats.isFile() && !isHidden(target) && !rules.isIgnored(target)) return true;
      const message = stats.isDirectory()
        ? "This is a link to a folder, which is not followed; pages are read where they really are."
        : "This is a link to a file that is not published; it is left out.";
      problems.warn("link_unused", message, { file: path });
    } catch (error) {
      if (isOctavoError(error, "invalid_input")) {
        const message = "This is a link that leads out of the site's folder; it was not read.";
        problems.fail("link_outside", message, { file: path });
      } else if (isOctavoError(error, "not_found")) {
        problems.warn("link_unused", "This is a link to nothing.", { file: path });
      } else {
        throw error;
      }
    }
    return false;
  }
}

/** Dot files are never published, except what `.well-known` at the root is there for. */
function isHidden(path: string): boolean {
  const parts = path.split("/");
  const shown = parts[0] === ".well-known" ? parts.slice(1) : parts;
  return shown.some((part) => part.startsWith("."));
}

/** A path that can stand in a message whatever its characters. */
function printable(path: string): string {
  return path.replace(/[\p{Cc}]/gu, "\u{FFFD}");
}
