import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describeSystemRefusal, limits, resolveRealPath } from "../core/index.ts";
import type { ProblemLocation, ProblemLog } from "../core/index.ts";
import { findFirstHeading, createTitleFromPath } from "../site/index.ts";
import type { FoundHeading, Frontmatter } from "../site/index.ts";
import {
  fillVariables,
  findFrontmatter,
  locateField,
  readFrontmatterFields,
  LineIndex,
} from "../text/index.ts";
import { readFrontmatter } from "./frontmatter.ts";

/** A page as its file describes it, without the data that depends on the navigation. */
export interface PageSource {
  readonly path: string;
  readonly file: string;
  readonly format: "mdx" | "md";
  readonly frontmatter: Frontmatter;
  readonly title: string;
  /** The 1-based line of the heading that is the title; undefined if the title has a different source. */
  readonly titleLine?: number;
  readonly navTitle: string;
  /**
   * True for a page that is generated from an API description. In that case, `file` is the description, not the page's
   * text.
   */
  readonly isGenerated?: true;
  /** The 1-based line of the frontmatter that names a part of an API description. */
  readonly apiLine?: number;
}

interface ReadPagesOptions {
  /** Whether the folder has no configuration, so that titles come from headings and the order from numbers in names. */
  readonly isPlain: boolean;
  readonly problems: ProblemLog;
  readonly signal?: AbortSignal | undefined;
  /** Earlier results, by file, to reuse for unchanged files that had no problems. */
  readonly unchanged?: ReadonlyMap<string, PageSource> | undefined;
}

/**
 * The number of files to read before yielding to other work. Synchronous reading takes 7 µs per page instead of 37 µs.
 * With this number, other work waits at most about a millisecond.
 */
const pagesPerTurn = 64;

/** Flags for opening a file without blocking on a pipe or following a link that replaced the file after the listing. */
const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads the heads of all pages. Reports and omits files that cannot be read. */
export async function readPages(
  root: string,
  files: readonly string[],
  options: ReadPagesOptions,
): Promise<PageSource[]> {
  const buffer = Buffer.allocUnsafe(limits.frontmatterBytes);
  const paths = assignPagePaths(files, options);
  const pages: PageSource[] = [];
  for (const [index, file] of files.entries()) {
    if (index % pagesPerTurn === 0) {
      await nextTurn();
      options.signal?.throwIfAborted();
    }
    const path = paths.get(file);
    const unchanged = options.unchanged?.get(file);
    if (unchanged !== undefined && unchanged.path === path) {
      pages.push(unchanged);
      continue;
    }
    if (path === undefined) continue;
    const head = await readHead(root, file, buffer);
    if (Buffer.isBuffer(head)) {
      pages.push(readPageSource(path, file, head, options));
      continue;
    }
    const reason = describeSystemRefusal(head.error);
    const message = `This file cannot be read${reason === undefined ? "" : `: ${reason}`}.`;
    options.problems.fail("page_unreadable", message, { file });
  }
  return pages;
}

/** Reads the first bytes of a file into `buffer`; the next call overwrites them. Returns the error if this fails. */
export async function readHead(
  root: string,
  file: string,
  buffer: Buffer,
): Promise<Buffer | { readonly error: unknown }> {
  try {
    return readStart(join(root, file), buffer);
  } catch (error) {
    // A symbolic link (ELOOP) pointed inside the folder when it was listed, and is checked again here.
    if ((error as NodeJS.ErrnoException).code !== "ELOOP") return { error };
  }
  try {
    return readStart(await resolveRealPath(root, file), buffer);
  } catch (error) {
    return { error };
  }
}

function readStart(path: string, buffer: Buffer): Buffer {
  const descriptor = openSync(path, openFlags);
  try {
    return buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(descriptor);
  }
}

function readPageSource(
  path: string,
  file: string,
  head: Buffer,
  options: ReadPagesOptions,
): PageSource {
  const frontmatter = readHeadFrontmatter(file, head, options.problems);
  const ownTitle = frontmatter.title ?? frontmatter.sidebarTitle;
  const heading = ownTitle === undefined && options.isPlain ? readFirstHeading(head) : undefined;
  const titlePath = options.isPlain ? stripOrderNumber(path) : path;
  const title = ownTitle ?? heading?.text ?? createTitleFromPath(titlePath);
  return {
    path,
    file,
    format: file.endsWith(".mdx") ? "mdx" : "md",
    frontmatter,
    title,
    ...(heading === undefined ? {} : { titleLine: heading.line }),
    navTitle: frontmatter.sidebarTitle ?? title,
    ...findApiLine(frontmatter, head),
  };
}

const apiKeys: ReadonlySet<string> = new Set(["openapi", "openapi-schema", "asyncapi"]);

function findApiLine(frontmatter: Frontmatter, head: Buffer): { apiLine?: number } {
  const { openapi, asyncapi, "openapi-schema": model } = frontmatter;
  if ((openapi ?? asyncapi ?? model) === undefined) return {};
  const source = head.toString();
  const field = readFrontmatterFields(source).find(({ key }) => apiKeys.has(key));
  return field ? { apiLine: new LineIndex(source).positionAt(field.start).line } : {};
}

/** Finds the first heading in the body of a page and its line in the file. */
function readFirstHeading(head: Buffer): FoundHeading | undefined {
  const source = head.toString();
  const block = findFrontmatter(source);
  if (typeof block !== "object") return findFirstHeading(source);
  const found = findFirstHeading(source.slice(block.bodyStart));
  const linesAbove = new LineIndex(source).lineAt(block.bodyStart);
  return found && { ...found, line: found.line + linesAbove };
}

/**
 * Removes the numbers that determine the order: `guides/02-install` becomes `guides/install`. Keeps dates and versions.
 */
export function stripOrderNumber(path: string): string {
  return path.replace(/(^|\/)\d{1,6}[-_. ]+(?=[^/\d][^/]*$)/, "$1");
}

function readHeadFrontmatter(file: string, head: Buffer, problems: ProblemLog): Frontmatter {
  const emptyFrontmatter: Frontmatter = { extra: {} };
  if (!startsWithDashes(head)) return emptyFrontmatter;
  const block = readBlock(head);
  if (block === undefined) return emptyFrontmatter;
  if (block === "unclosed") {
    const isTruncated = head.length === limits.frontmatterBytes;
    const message = isTruncated
      ? `The frontmatter is longer than ${limits.frontmatterBytes / 1024} KB and is ignored.`
      : "The frontmatter has no closing --- line; it is read as text.";
    problems.fail("frontmatter_unclosed", message, { file, line: 1, column: 1 });
    return emptyFrontmatter;
  }
  return readFrontmatter(block.text, { file, firstLine: block.firstLine, problems });
}

function startsWithDashes(head: Buffer): boolean {
  const start = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
  return head[start] === 0x2d && head[start + 1] === 0x2d && head[start + 2] === 0x2d;
}

/**
 * Decodes only the frontmatter if possible, because most of the 64 KB that were read is text that is not needed here.
 */
function readBlock(head: Buffer) {
  const dashes = head.indexOf("\n---", 3);
  const lineEnd = dashes === -1 ? -1 : head.indexOf("\n", dashes + 1);
  const block = lineEnd === -1 ? "unclosed" : findFrontmatter(head.toString("utf8", 0, lineEnd));
  return block === "unclosed" ? findFrontmatter(head.toString()) : block;
}

/**
 * Returns the page path (the file name without its extension) of each file that becomes a page. If two files have the
 * same page path, `.mdx` takes precedence. In a plain folder, a README is the index if there is no other index.
 */
function assignPagePaths(
  files: readonly string[],
  options: ReadPagesOptions,
): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  // The order is reversed, so that `a.mdx` comes before `a.md`.
  for (const file of files.toReversed()) {
    const path = file.replace(/\.mdx?$/, "");
    const owner = owners.get(path);
    if (owner === undefined) {
      owners.set(path, file);
    } else {
      const message = `${owner} has the same address; this file is ignored.`;
      options.problems.fail("page_duplicate", message, { file });
    }
  }
  const takenPaths = new Set(owners.keys());
  const paths = new Map<string, string>();
  for (const [path, file] of owners) {
    const index = options.isPlain ? findIndexPath(path) : undefined;
    const isIndex = index !== undefined && !takenPaths.has(index);
    if (isIndex) takenPaths.add(index);
    paths.set(file, isIndex ? index : path);
  }
  return paths;
}

/** Returns `guides/index` for `guides/README` in any capitalization, or undefined for other pages. */
function findIndexPath(path: string): string | undefined {
  const index = path.replace(/(^|\/)readme$/i, "$1index");
  return index === path ? undefined : index;
}

/** Replaces the site's variables in a page's title and description. */
export function fillTitles(
  page: PageSource,
  variables: Readonly<Record<string, string>>,
): PageSource {
  const { title, navTitle, frontmatter } = page;
  const { description = "" } = frontmatter;
  if (![title, navTitle, description].some((text) => text.includes("{{"))) return page;
  const fill = (text: string) => fillVariables(text, variables, limits.frontmatterBytes);
  return {
    ...page,
    title: fill(title),
    navTitle: fill(navTitle),
    frontmatter: {
      ...frontmatter,
      ...(frontmatter.title === undefined ? {} : { title: fill(frontmatter.title) }),
      ...(description === "" ? {} : { description: fill(description) }),
    },
  };
}

/** Returns the location of a field in the frontmatter of a page's file, or of the file if the field cannot be found. */
export function locateInFrontmatter(root: string, file: string, key: string): ProblemLocation {
  try {
    return locateField(file, readFileSync(join(root, file), "utf8"), key);
  } catch {
    // The page changed since it was read.
    return { file };
  }
}
