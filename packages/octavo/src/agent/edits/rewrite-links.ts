import { posix } from "node:path";
import { resolveLink, resolveMedia } from "@octavo/site";
import type { Reference, Resolution, SiteLinks } from "@octavo/site";
import { createLinkIndex, LineIndex, getRelativePath, splitAddress } from "@octavo/site/text";
import type { LinkIndex, TextEdit, TextRange } from "@octavo/site/text";
import { getParentFolder } from "@octavo/site/core";

/** A reference with the page (`guides/start`) that shows it. `reference.file` may be a snippet. */
export interface PageReference {
  readonly page: string;
  readonly reference: Reference;
}

/** The target of a link. A page is identified by its page path, a file by its file path. */
export interface LinkTarget {
  readonly kind: "page" | "file";
  readonly path: string;
}

/** A change that affects addresses. */
interface LinkChange {
  /**
   * Resolves links before and after the change. Redirects are ignored, so that an address that redirects to a page does
   * not count as that page.
   */
  readonly before: SiteLinks;
  readonly after: SiteLinks;
  /** Returns the location of an old target after the change. This is the target itself if it stays. */
  readonly getTargetAfter: (target: LinkTarget) => LinkTarget | undefined;
  readonly getPageAfter: (page: string) => string;
  readonly getFileAfter: (file: string) => string;
  /** Returns a replacement for the query and fragment, for links that will lead to a different page. */
  readonly getSuffixAfter?: (target: LinkTarget) => string | undefined;
}

interface LinkEdits {
  /** The edits by file, under the names before the change. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /** Links that should change but whose address was not found in the text. */
  readonly missed: readonly Reference[];
}

/** The maximum number of characters of a paragraph that are searched. The text after them is ignored. */
const maxParagraphLength = 20_000;

interface AuthoredLink {
  /** The address in its original form, without query and fragment. */
  readonly authored: string;
  /** The page (`guides/start`) or file to which the address must lead. */
  readonly target: string;
  readonly isPage: boolean;
  /** The page that shows the link; undefined if several pages show it, as with a snippet. */
  readonly page: string | undefined;
}

/**
 * Plans the edits that preserve the targets of links. They affect links to moved pages and files, and relative links in
 * a moved page. Links that still work unchanged, and links that were already broken, are not edited.
 */
export function rewriteLinks(
  references: readonly PageReference[],
  change: LinkChange,
  getText: (file: string) => string | undefined,
): LinkEdits {
  const planned = new Map<string, PlannedEdit>();
  const missedLinks: Reference[] = [];
  const indexes = new Map<string, TextIndex>();
  for (const entry of references) {
    const { reference } = entry;
    const newAddress = findNewAddress(entry, change);
    if (newAddress === undefined) continue;
    const text = getText(reference.file);
    const ranges = text === undefined ? [] : findAddressRanges(reference, text, indexes);
    if (ranges.length === 0) missedLinks.push(reference);
    for (const { start, end } of ranges) {
      const key = `${reference.file}:${start}`;
      const earlier = planned.get(key);
      // Several pages show this snippet, and on each of them the link has a different target.
      if (earlier && earlier.edit.text !== newAddress) missedLinks.push(reference);
      else planned.set(key, { file: reference.file, edit: { start, end, text: newAddress } });
    }
  }
  return { edits: groupByFile(planned.values()), missed: missedLinks };
}

interface PlannedEdit {
  readonly file: string;
  readonly edit: TextEdit;
}

/** Returns the address to write, or undefined if the address stays the same. */
function findNewAddress(
  { page, reference }: PageReference,
  change: LinkChange,
): string | undefined {
  const { target, file } = reference;
  const { path, suffix } = splitAddress(target.trim());
  if (path === "") return undefined;
  const before = findLinkTarget(resolve(reference, target, { page, file }, change.before));
  const newTarget = before && change.getTargetAfter(before);
  if (!before || !newTarget) return undefined;
  const origin = { page: change.getPageAfter(page), file: change.getFileAfter(file) };
  const newSuffix = change.getSuffixAfter?.(before) ?? suffix;
  const leadsToTarget = (address: string) =>
    isSameTarget(findLinkTarget(resolve(reference, address, origin, change.after)), newTarget);
  const wasResolvable = canBrowserResolve(path, page, before);
  const isResolvable = !wasResolvable || canBrowserResolve(path, origin.page, newTarget);
  if (newSuffix === suffix && isResolvable && leadsToTarget(target)) return undefined;
  const isOwn = change.getFileAfter(file) !== file || file.replace(/\.mdx?$/, "") === page;
  const newPath = listSpellings({
    authored: path,
    target: newTarget.path,
    isPage: newTarget.kind === "page",
    page: isOwn ? origin.page : undefined,
  }).find(leadsToTarget);
  return newPath === undefined ? undefined : newPath + newSuffix;
}

/**
 * Reports whether a browser would find the target at this path. The renderer also searches other folders, but after a
 * move, a link that works only because of this search would be broken in other programs.
 */
function canBrowserResolve(path: string, page: string, target: LinkTarget): boolean {
  if (path.startsWith("/")) return true;
  const joined = posix.join(getParentFolder(page), path).replace(/\/$/, "");
  const pageOrFile = target.kind === "page" ? joined.replace(/\.(?:mdx?|html?)$/, "") : joined;
  return pageOrFile === target.path || `${pageOrFile}/index` === target.path;
}

function resolve(
  reference: Reference,
  target: string,
  origin: { readonly page: string; readonly file: string },
  links: SiteLinks,
): Resolution {
  return reference.kind === "link"
    ? resolveLink(target, origin, links)
    : resolveMedia(target, origin, links);
}

function findLinkTarget(resolution: Resolution): LinkTarget | undefined {
  if (resolution.kind !== "page" && resolution.kind !== "file") return undefined;
  return { kind: resolution.kind, path: resolution.path };
}

function isSameTarget(a: LinkTarget | undefined, b: LinkTarget): boolean {
  return a?.kind === b.kind && a.path === b.path;
}

/** The lines and links of a file's text, by position. */
interface TextIndex {
  readonly lines: LineIndex;
  readonly links: LinkIndex;
}

function findAddressRanges(
  reference: Reference,
  text: string,
  indexes: Map<string, TextIndex>,
): readonly TextRange[] {
  const { file, line, column } = reference;
  const index = indexes.get(file) ?? { lines: new LineIndex(text), links: createLinkIndex(text) };
  indexes.set(file, index);
  const offset = index.lines.offsetOf(line, column);
  const { path, suffix } = splitAddress(reference.target.trim());
  // The suffix is replaced together with the path. If its original form contains entities, it is kept.
  return findPathRanges(text, index.links, { offset, path }).map(({ start, end }) => ({
    start,
    end: text.startsWith(suffix, end) ? end + suffix.length : end,
  }));
}

function groupByFile(planned: Iterable<PlannedEdit>): Map<string, TextEdit[]> {
  const edits = new Map<string, TextEdit[]>();
  for (const { file, edit } of planned) {
    const list = edits.get(file);
    if (list) list.push(edit);
    else edits.set(file, [edit]);
  }
  return edits;
}

/**
 * Finds the address of a link in a text. The renderer reports where the link begins, which is the `[` of a Markdown
 * link, the `<` of an element, or the character before the address. Returns every range that contains `path`, which is
 * the part of the address before its query and fragment. Takes linear time.
 */
function findPathRanges(
  text: string,
  links: LinkIndex,
  { offset, path }: { readonly offset: number; readonly path: string },
): readonly TextRange[] {
  const link = links.findAt(offset);
  if (link?.form === "tag") return findOccurrences(text, link, path);
  if (link) {
    const { address: start } = link;
    return isTargetAt(text, start, path) ? [{ start, end: start + path.length }] : [];
  }
  if (/^!?\[/.test(text.slice(offset, offset + 2))) return [];
  const start = offset + 1;
  if (isAddressAt(text, start, path)) return [{ start, end: start + path.length }];
  return findOccurrences(text, { start: offset, end: findParagraphEnd(text, offset) }, path);
}

function findParagraphEnd(text: string, start: number): number {
  const end = text.indexOf("\n\n", start);
  return Math.min(end === -1 ? text.length : end, start + maxParagraphLength);
}

/**
 * Returns the ranges in which `path` is an address: after a quotation mark or bracket, and before one of these, a query
 * or a fragment.
 */
function findOccurrences(text: string, { start, end }: TextRange, path: string): TextRange[] {
  const found: TextRange[] = [];
  for (
    let index = text.indexOf(path, start);
    index !== -1 && index < end;
    index = text.indexOf(path, index + 1)
  ) {
    if (isAddressAt(text, index, path)) found.push({ start: index, end: index + path.length });
  }
  return found;
}

function isAddressAt(text: string, index: number, path: string): boolean {
  return index > 0 && /["'`(<=\s]/.test(text[index - 1] ?? "") && isTargetAt(text, index, path);
}

function isTargetAt(text: string, index: number, path: string): boolean {
  const after = text[index + path.length];
  return text.startsWith(path, index) && (after === undefined || /[\s"'`)>?#]/.test(after));
}

/**
 * Returns the possible forms of an address that leads to `target`: absolute or relative, with or without `./`,
 * extension and trailing slash. The forms that are most similar to the original address come first.
 */
function listSpellings({ authored, target, isPage, page }: AuthoredLink): readonly string[] {
  const withoutSlash = authored.replace(/\/$/, "");
  const extension = isPage ? (/\.(?:mdx?|html?)$/.exec(withoutSlash)?.[0] ?? "") : "";
  const trailingSlash = authored.endsWith("/") && authored !== "/" ? "/" : "";
  const names = isPage ? listPageNames(target, withoutSlash, extension) : [target];
  const spellings = names.flatMap((name) => {
    const absolute = `/${name}`;
    if (authored.startsWith("/") || page === undefined) return [absolute];
    const path = getRelativePath(getParentFolder(page), name);
    if (authored.startsWith(".")) return [path.startsWith(".") ? path : `./${path}`, absolute];
    return withoutSlash.includes("/") ? [name, path, absolute] : [path, name, absolute];
  });
  return spellings.map((address) => encodeAddress(address) + trailingSlash);
}

/** Returns the possible names of a page. An index page is named by its folder if the author did so. */
function listPageNames(to: string, authored: string, extension: string): readonly string[] {
  const isSpelledOut = extension !== "" || /(?:^|\/)index$/.test(authored);
  const folder = /^(.+)\/index$/.exec(to)?.[1];
  return folder !== undefined && !isSpelledOut ? [folder, to] : [to + extension];
}

/** Encodes only the characters that would end an address in Markdown or in an attribute. */
function encodeAddress(path: string): string {
  return path.replaceAll(/[\s()<>"'`%#?{}]/g, (character) =>
    /[()']/.test(character)
      ? `%${character.charCodeAt(0).toString(16).toUpperCase()}`
      : encodeURIComponent(character),
  );
}
