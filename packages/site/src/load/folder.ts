import { readdirSync, statSync } from "node:fs";
import type { Dirent } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  describeSystemRefusal,
  isOctavoError,
  resolveRealPathSync,
  limits,
  compareCodeUnits,
  type ProblemLog,
} from "../core/index.ts";
import type { FolderRecorder } from "./folder-record.ts";
import type { IgnoreRules } from "./ignore-rules.ts";
import type { SiteSettings } from "./site-settings.ts";

/** The files of a site's folder that may be published. */
interface FolderListing {
  /** `.md` and `.mdx` files that may be pages, sorted, relative to the root with forward slashes. */
  readonly pages: readonly string[];
  /** All other files, sorted. */
  readonly others: readonly string[];
  /** Files in folders of build output, sorted. They are ignored unless a page or a copied file refers to them. */
  readonly spares: readonly string[];
}

interface ListFolderOptions {
  readonly rules: IgnoreRules;
  readonly problems: ProblemLog;
  /** Records the folders of the listing. */
  readonly recorder?: FolderRecorder | undefined;
  /** The maximum numbers of files and of pages. */
  readonly max?: { readonly files: number; readonly pages: number };
}

type FolderSettings = Pick<SiteSettings, "outDir" | "archive" | "signal">;

/** The number of folders to list before yielding to other work. Synchronous listing takes a third of the time. */
const foldersPerTurn = 64;
/** The maximum number of listed files in folders of build output. */
const maxSpareFiles = 10_000;
/** The folder of the bundle's own files. */
const reservedFolder = "_octavo";
const snippetFolders: ReadonlySet<string> = new Set(["snippets", "_snippets"]);
const pagePattern = /\.mdx?$/;

/**
 * Lists the files of a site's folder that may be published, in the same order on every machine. Follows a symbolic link
 * only if its target is a file inside the folder that may itself be published.
 */
export async function listFolder(
  root: string,
  settings: FolderSettings,
  options: ListFolderOptions,
): Promise<FolderListing> {
  const real = await realpath(root);
  const walk = new FolderWalk(real, await listBundlePaths(real, settings), options);
  await walk.run(settings.signal);
  return walk.createListing();
}

/** Returns the paths of this export's output relative to `root`. Files at these paths are not part of the site. */
export async function listBundlePaths(
  root: string,
  { outDir, archive }: FolderSettings,
): Promise<ReadonlySet<string>> {
  const folder = outDir && (await realpath(outDir).catch(() => undefined));
  const parent = archive && (await realpath(dirname(archive.file)).catch(() => undefined));
  const file = archive && parent && join(parent, basename(archive.file));
  const paths = [outDir, folder, file].filter((path) => path !== undefined);
  return new Set(paths.map((path) => relative(root, path).split(sep).join("/")));
}

/** Reports whether a path belongs to a page, which is a Markdown file outside the snippet folders. */
function isPageFile(path: string): boolean {
  const top = path.split("/", 1)[0] ?? "";
  return pagePattern.test(path) && !snippetFolders.has(top) && !path.startsWith(".");
}

/** Returns the reason why a name is not safe in a path or a line of text, or undefined if the name is safe. */
function describeInvalidName(name: string): string | undefined {
  if (/[\p{Cc}\\\u{FFFD}]/u.test(name)) return "contains a backslash or an unprintable character";
  return undefined;
}

class FolderWalk {
  readonly #root: string;
  readonly #bundles: ReadonlySet<string>;
  readonly #options: ListFolderOptions;
  readonly #max: NonNullable<ListFolderOptions["max"]>;
  readonly #files: string[] = [];
  readonly #spares: string[] = [];
  #isFull = false;

  constructor(root: string, bundles: ReadonlySet<string>, options: ListFolderOptions) {
    this.#root = root;
    this.#bundles = bundles;
    this.#options = options;
    this.#max = options.max ?? limits;
  }

  async run(signal: AbortSignal | undefined): Promise<void> {
    const folders = [""];
    let count = 0;
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (++count % foldersPerTurn === 0) await nextTurn();
      signal?.throwIfAborted();
      this.#options.recorder?.begin(folder);
      const entries = this.#readEntries(folder);
      if (entries === undefined) continue;
      this.#options.recorder?.add(folder, entries);
      if (folder !== "" && (await this.#isBundle(folder, entries))) continue;
      entries.sort((a, b) => compareCodeUnits(a.name, b.name));
      for (const entry of entries) {
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (this.#shouldEnter(path, entry)) folders.push(path);
        if (this.#isFull) return;
      }
    }
  }

  /**
   * Reads a folder. If a subfolder cannot be read, reports this and returns undefined. Throws if the site's own folder
   * cannot be read.
   */
  #readEntries(folder: string): Dirent[] | undefined {
    try {
      return readdirSync(join(this.#root, folder), { withFileTypes: true });
    } catch (error) {
      const reason = describeSystemRefusal(error);
      if (folder === "" || reason === undefined) throw error;
      this.#options.recorder?.discard();
      const message = `This folder cannot be read: ${reason}; its files are missing.`;
      this.#options.problems.fail("folder_unreadable", message, { file: folder });
      return undefined;
    }
  }

  /** Reports whether a folder contains this export or an earlier export, which is not part of the site. */
  async #isBundle(folder: string, entries: readonly Dirent[]): Promise<boolean> {
    if (this.#bundles.has(folder)) return true;
    if (!entries.some(({ name }) => name === reservedFolder)) return false;
    this.#options.recorder?.discard();
    const file = join(this.#root, folder, reservedFolder, "report.json");
    const report = await stat(file).catch(() => undefined);
    return report?.isFile() ?? false;
  }

  createListing(): FolderListing {
    const files = this.#files.toSorted(compareCodeUnits);
    const pages = files.filter(isPageFile);
    const max = this.#max.pages;
    if (pages.length > max) {
      const message = `The site has ${pages.length} pages; only the first ${max} are exported.`;
      this.#options.problems.fail("site_too_large", message, { file: pages[max] ?? "" });
    }
    const others = files.filter((file) => !pagePattern.test(file));
    const spares = this.#spares.toSorted(compareCodeUnits);
    return { pages: pages.slice(0, max), others, spares };
  }

  /** Adds a file to the listing. Returns true for a folder that should be listed. */
  #shouldEnter(path: string, entry: Dirent): boolean {
    if (isHidden(path) || this.#bundles.has(path)) return false;
    const isFolder = entry.isDirectory();
    const rulePath = isFolder ? `${path}/` : path;
    if (this.#options.rules.isIgnored(rulePath)) return this.#shouldEnterSpare(rulePath, entry);
    if (isFolder) return this.#isAllowedFolder(path, entry.name);
    const fault = describeInvalidName(entry.name);
    if (fault !== undefined) {
      const message = `The name of this file ${fault}; it is ignored.`;
      this.#options.problems.fail("file_name_invalid", message, {
        file: removeControlCharacters(path),
      });
    } else if (entry.isFile() || (entry.isSymbolicLink() && this.#isUsableLink(path))) {
      this.#addFile(path);
    } else if (!entry.isSymbolicLink() && pagePattern.test(path)) {
      const message = "This is a pipe, a socket or a device, not a file; it is ignored.";
      this.#options.problems.fail("page_unreadable", message, { file: path });
    }
    return false;
  }

  /** Adds a file in a folder of build output to the listing. Returns true for a folder of build output. */
  #shouldEnterSpare(path: string, entry: Dirent): boolean {
    if (this.#spares.length >= maxSpareFiles || !this.#options.rules.isSpare(path)) return false;
    if (describeInvalidName(entry.name) !== undefined) return false;
    if (entry.isFile() && !pagePattern.test(path)) this.#spares.push(path);
    return entry.isDirectory() && path.split("/").length <= limits.folderDepth;
  }

  #isAllowedFolder(path: string, name: string): boolean {
    const { problems } = this.#options;
    const fault = describeInvalidName(name);
    if (fault !== undefined || /\.(?:html|md)$/i.test(name) || path === reservedFolder) {
      // A folder named `a.html` or `a.md` would collide with the exported files of a page `a`.
      const reason = fault ?? "is reserved for exported files";
      const message = `The name of this folder ${reason}; its files are ignored.`;
      problems.fail("file_name_invalid", message, { file: removeControlCharacters(path) });
      return false;
    }
    if (path.split("/").length <= limits.folderDepth) return true;
    const message = `Folders nested deeper than ${limits.folderDepth} levels are ignored.`;
    problems.fail("folder_too_deep", message, { file: path });
    return false;
  }

  #addFile(path: string): void {
    const max = this.#max.files;
    if (this.#files.length < max) {
      this.#files.push(path);
      return;
    }
    this.#isFull = true;
    const message = `The site has more than ${max} files; the rest are ignored.`;
    this.#options.problems.fail("site_too_large", message, { file: path });
  }

  #isUsableLink(path: string): boolean {
    const { problems, rules, recorder } = this.#options;
    recorder?.discard();
    try {
      const real = resolveRealPathSync(this.#root, path);
      const target = relative(this.#root, real).split(sep).join("/");
      const stats = statSync(real);
      if (stats.isFile() && !isHidden(target) && !rules.isIgnored(target)) return true;
      const message = stats.isDirectory()
        ? "This is a symbolic link to a folder and is not followed; put the pages into the folder itself."
        : "This is a symbolic link to a file that is not published; it is ignored.";
      problems.warn("link_unused", message, { file: path });
    } catch (error) {
      if (isOctavoError(error, "invalid_input")) {
        const message = "This symbolic link points outside the site's folder; it was not read.";
        problems.fail("link_outside", message, { file: path });
      } else if (isOctavoError(error, "not_found")) {
        problems.warn("link_unused", "This symbolic link is broken; it is ignored.", {
          file: path,
        });
      } else {
        throw error;
      }
    }
    return false;
  }
}

/** Dotfiles are never published, except files in `.well-known` at the root. */
function isHidden(path: string): boolean {
  if (!path.startsWith(".") && !path.includes("/.")) return false;
  const parts = path.split("/");
  const checkedParts = parts[0] === ".well-known" ? parts.slice(1) : parts;
  return checkedParts.some((part) => part.startsWith("."));
}

/** Removes control characters from a path, for messages. */
function removeControlCharacters(path: string): string {
  return path.replace(/[\p{Cc}]/gu, "\u{FFFD}");
}
