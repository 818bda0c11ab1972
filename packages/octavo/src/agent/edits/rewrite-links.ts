import { posix } from "node:path";
import { parentFolder } from "../content.ts";
import { resolveLink, resolveMedia } from "@octavo/site";
import type { Reference, Resolution, SiteLinks } from "@octavo/site";
import { findTarget } from "./find-target.ts";
import { spellings } from "./link-target.ts";
import { createLinkIndex, LineIndex, splitAddress } from "@octavo/site/text";
import type { LinkIndex, TextEdit, TextRange } from "@octavo/site/text";

/** A reference with the page (`guides/start`) that shows it; `reference.file` may be a snippet. */
export interface PageReference {
  readonly page: string;
  readonly reference: Reference;
}

/** Where something leads: a page by its path, a file by its own. */
export interface Goal {
  readonly kind: "page" | "file";
  readonly path: string;
}

/** What changes its address. */
export interface LinkChange {
  /** How links resolve before and after; redirects left out, so that each address means itself. */
  readonly before: SiteLinks;
  readonly after: SiteLinks;
  /** Where what `goal` names before is to be found after; the goal itself where it stays. */
  readonly goalAfter: (goal: Goal) => Goal | undefined;
  readonly pageAfter: (page: string) => string;
  readonly fileAfter: (file: string) => string;
  /** Replaces query and fragment too; for links that lead to another page than before. */
  readonly suffixAfter?: (goal: Goal) => string | undefined;
}

export interface LinkEdits {
  /** By file, as it is named before. */
  readonly edits: ReadonlyMap<string, readonly TextEdit[]>;
  /** Links that should change and whose address was not found in the text. */
  readonly missed: readonly Reference[];
}

/**
 * The edits that keep every link leading where it led: links to what moves, and relative links of a
 * page that moves. A link that still leads there as it is stays as it is, and so does a broken one.
 */
export function rewriteLinks(
  references: readonly PageReference[],
  change: LinkChange,
  textOf: (file: string) => string | undefined,
): LinkEdits {
  const planned = new Map<string, PlannedEdit>();
  const missed: Reference[] = [];
  const indexes = new Map<string, TextIndex>();
  for (const entry of references) {
    const { reference } = entry;
    const written = newTarget(entry, change);
    if (written === undefined) continue;
    const text = textOf(reference.file);
    const places = text === undefined ? [] : findIn(reference, text, indexes);
    if (places.length === 0) missed.push(reference);
    for (const { start, end } of places) {
      const key = `${reference.file}:${start}`;
      const known = planned.get(key);
      // Several pages show this snippet, and the link means another page on each.
      if (known && known.edit.text !== written) missed.push(reference);
      else planned.set(key, { file: reference.file, edit: { start, end, text: written } });
    }
  }
  return { edits: byFile(planned.values()), missed };
}

interface PlannedEdit {
  readonly file: string;
  readonly edit: TextEdit;
}

/** The address to write; undefined where it stays. */
function newTarget({ page, reference }: PageReference, change: LinkChange): string | undefined {
  const { target, file } = reference;
  const { path, suffix } = splitAddress(target.trim());
  if (path === "") return undefined;
  const before = goalOf(resolve(reference, target, { page, file }, change.before));
  const goal = before && change.goalAfter(before);
  if (!before || !goal) return undefined;
  const origin = { page: change.pageAfter(page), file: change.fileAfter(file) };
  const newSuffix = change.suffixAfter?.(before) ?? suffix;
  const leads = (address: string) =>
    isSame(goalOf(resolve(reference, address, origin, change.after)), goal);
  const wasPlain = leadsPlainly(path, page, before);
  const isPlain = !wasPlain || leadsPlainly(path, origin.page, goal);
  if (newSuffix === suffix && isPlain && leads(target)) return undefined;
  const isOwn = change.fileAfter(file) === file ? isPageFile(file, page) : true;
  const written = spellings({
    authored: path,
    to: goal.path,
    isPage: goal.kind === "page",
    page: isOwn ? origin.page : undefined,
  }).find(leads);
  return written === undefined ? undefined : written + newSuffix;
}

/**
 * Whether a browser would find it there. The renderer looks in more places, and a link that is found
 * by luck after a move would be broken elsewhere.
 */
function leadsPlainly(path: string, page: string, goal: Goal): boolean {
  if (path.startsWith("/")) return true;
  const joined = posix.join(parentFolder(page), path).replace(/\/$/, "");
  const named = goal.kind === "page" ? joined.replace(/\.(?:mdx?|html?)$/, "") : joined;
  return named === goal.path || `${named}/index` === goal.path;
}

function isPageFile(file: string, page: string): boolean {
  return file.replace(/\.mdx?$/, "") === page;
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

function goalOf(resolution: Resolution): Goal | undefined {
  if (resolution.kind !== "page" && resolution.kind !== "file") return undefined;
  return { kind: resolution.kind, path: resolution.path };
}

function isSame(a: Goal | undefined, b: Goal): boolean {
  return a?.kind === b.kind && a.path === b.path;
}

/** What is known of a file's text by place. */
interface TextIndex {
  readonly lines: LineIndex;
  readonly links: LinkIndex;
}

function findIn(
  reference: Reference,
  text: string,
  indexes: Map<string, TextIndex>,
): readonly TextRange[] {
  const { file, line, column } = reference;
  const index = indexes.get(file) ?? { lines: new LineIndex(text), links: createLinkIndex(text) };
  indexes.set(file, index);
  const offset = index.lines.offsetOf(line, column);
  const { path, suffix } = splitAddress(reference.target.trim());
  // The suffix is replaced with the path; as authored it may hold entities, and is then left alone.
  return findTarget(text, index.links, { offset, path }).map(({ start, end }) => ({
    start,
    end: text.startsWith(suffix, end) ? end + suffix.length : end,
  }));
}

function byFile(planned: Iterable<PlannedEdit>): Map<string, TextEdit[]> {
  const edits = new Map<string, TextEdit[]>();
  for (const { file, edit } of planned) {
    const list = edits.get(file);
    if (list) list.push(edit);
    else edits.set(file, [edit]);
  }
  return edits;
}
