import { getBaseName, type Problem } from "@octavo/site/core";
import { redactTokens, type CommitConvention } from "../../core/index.ts";
import { readChangedTexts } from "../changes/read-changes.ts";
import { diffLines, splitLines } from "../changes/text-changes.ts";
import type { ChangedFile, TextChange } from "../changes/text-changes.ts";
import type { SitePages } from "../site-view.ts";
import type { Workspace } from "../workspace.ts";
import { sanitizeWords } from "./sanitize-markdown.ts";

export const maxTitleLength = 72;

/** Words in a title that stop a repository's checks from running. */
const checkSwitch =
  /\[\s*(?:skip[ -]?ci|ci[ -]?skip|no[ -]?ci|skip[ -]?actions|actions[ -]?skip)\s*\]|\*{3}NO_CI\*{3}/gi;

const conventional =
  /^(?:build|chore|ci|docs?|feat|fix|perf|refactor|revert|style|test)(?:\([^()\n]{1,40}\))?!?: \S/i;
const minSubjects = 5;
const conventionalShare = 0.6;

/**
 * Formats the first line of a text as a title that does not mention anyone and does not skip checks. May return an
 * empty string.
 */
export function sanitizeTitle(text: string): string {
  const line = redactTokens(text).trim().split("\n", 1)[0] ?? "";
  return removeSwitches(sanitizeWords(line));
}

/** Removes switches repeatedly until none is left, because a removal can form a new one: `[skip [skip ci] ci]`. */
function removeSwitches(title: string): string {
  const plain = sanitizeWords(title.replaceAll(checkSwitch, " "));
  return plain === title ? title : removeSwitches(plain);
}

/** Formats words as a title of a pull request or commit in the convention of its repository. */
export function formatTitle(text: string, convention: CommitConvention): string {
  const words = sanitizeTitle(text);
  const title = toConvention(words === "" ? "Edit the documentation" : words, convention);
  if (title.length <= maxTitleLength) return title;
  const cut = title.slice(0, maxTitleLength - 1);
  const end = cut.lastIndexOf(" ");
  return `${(end > maxTitleLength / 2 ? cut.slice(0, end) : cut).toWellFormed()}…`;
}

/** Detects the convention of the newest commits from their subjects. */
export function detectConvention(subjects: readonly string[]): CommitConvention {
  const own = subjects.filter((subject) => !/^(?:Merge|Revert) /.test(subject));
  const following = own.filter((subject) => conventional.test(subject));
  const isFollowed =
    own.length >= minSubjects && following.length >= own.length * conventionalShare;
  return isFollowed ? "conventional" : "plain";
}

export function followsConvention(title: string, convention: CommitConvention): boolean {
  return convention === "plain" || conventional.test(title);
}

/** Converts a title to the convention. */
function toConvention(title: string, convention: CommitConvention): string {
  if (followsConvention(title, convention)) return title;
  // Names and abbreviations keep their case: "API keys", "OpenAPI".
  const isWord = /^\p{Lu}\p{Ll}*(?:\s|$)/u.test(title);
  return `docs: ${isWord ? title.charAt(0).toLowerCase() : title.charAt(0)}${title.slice(1)}`;
}

interface TitledChange {
  /** Paths are relative to the site's folder. */
  readonly changes: readonly ChangedFile[];
  /** The texts of changed files by path, if they were read. */
  readonly texts: ReadonlyMap<string, TextChange>;
  readonly pages: SitePages;
  /** The problems that the change resolved. */
  readonly resolved: readonly Problem[];
}

const maxName = 45;
const maxWords = 40;
const linkTarget =
  /(?<=\]\()[^()\s]*(?:\([^()\s]*\)[^()\s]*)*|(?<=\bhref=["'])[^"']*|(?<=^\[[^\]]{1,200}\]: )\S+/g;

/**
 * Formats a title for a change whose author gave none, derived from its files: what was moved, added or removed, which
 * words, links or fields differ, or which pages. Empty if nothing changed.
 */
export function formatChangeTitle(change: TitledChange): string {
  const { changes, pages } = change;
  const isPage = ({ path }: ChangedFile) => pages.byFile.has(path) || /\.mdx?$/.test(path);
  const shown = changes.some(isPage) ? changes.filter(isPage) : changes;
  const noun = changes.some(isPage) ? "pages" : "files";
  const ofKind = (kind: ChangedFile["kind"]) => shown.filter((file) => file.kind === kind);
  const list = (files: readonly ChangedFile[]) =>
    listNames(files.map(createNameLookup(pages)), noun);
  const [added, moved] = [ofKind("added"), ofKind("moved")];
  const [deleted, modified] = [ofKind("deleted"), ofKind("modified")];
  const parts = [
    moved.length > 0 && formatMoves(moved, pages, noun),
    added.length > 0 && `Add ${list(added)}`,
    deleted.length > 0 && `Remove ${list(deleted)}`,
  ].filter((part) => part !== false);
  if (modified.length === 0) return joinParts(parts);
  if (parts.length === 0) return formatEdits(change, modified, list(modified));
  // Moving or removing a page also changes links in other pages.
  const hasUpkeep = moved.length + deleted.length > 0;
  return joinParts(hasUpkeep ? parts : [...parts, `edit ${list(modified)}`]);
}

/** Derives a title from the changed files of a turn. Long texts are not compared. */
export async function readChangeTitle(
  workspace: Workspace,
  turn: Pick<TitledChange, "changes" | "pages"> & {
    readonly problems: { readonly resolved: readonly Problem[] };
  },
): Promise<string> {
  const { changes, pages, problems } = turn;
  const modified = changes.filter(({ kind }) => kind === "modified");
  const texts = await readChangedTexts(workspace, modified);
  return formatChangeTitle({ changes, texts, pages, resolved: problems.resolved });
}

function joinParts([first = "", ...others]: readonly string[]): string {
  return [first, ...others.map((part) => part.charAt(0).toLowerCase() + part.slice(1))].join(
    " and ",
  );
}

function createNameLookup(pages: SitePages): (file: Pick<ChangedFile, "path">) => string {
  return ({ path }) => {
    const name = pages.byFile.get(path)?.path ?? path;
    return name.length <= maxName ? name : getBaseName(name);
  };
}

function listNames(names: readonly string[], noun: string): string {
  const [first = "", second = ""] = names;
  if (names.length === 1) return first;
  if (names.length === 2) return `${first} and ${second}`;
  return `${first} and ${names.length - 1} other ${noun}`;
}

function formatMoves(moved: readonly ChangedFile[], pages: SitePages, noun: string): string {
  const [first] = moved;
  if (first && moved.length === 1) {
    const name = createNameLookup(pages);
    return `Move ${name({ path: first.from ?? "" })} to ${name(first)}`;
  }
  const folders = new Set(moved.map(({ path }) => path.slice(0, path.lastIndexOf("/") + 1)));
  const [folder = ""] = folders;
  const target = folders.size === 1 && folder !== "" ? ` to ${folder}` : "";
  return `Move ${moved.length} ${noun}${target}`;
}

/** Formats the title of a change that only edits files. */
function formatEdits(
  { texts, resolved }: TitledChange,
  modified: readonly ChangedFile[],
  names: string,
): string {
  const pairs = modified.flatMap(({ path }) => {
    const text = texts.get(path);
    return text ? [matchLines(text)] : [];
  });
  const isWhole = pairs.length === modified.length;
  const lines = pairs.flat();
  if (!isWhole || lines.length === 0) return `Edit ${names}`;
  const where = modified.length === 1 ? `in ${names}` : `on ${modified.length} pages`;
  return (
    formatLinkEdits(lines, resolved, where) ??
    formatFieldEdits(lines, modified.length === 1 ? names : `${modified.length} pages`) ??
    formatReplacement(lines, { where, isOnSeveral: modified.length > 1 }) ??
    `Edit ${names}`
  );
}

interface LinePair {
  /** Undefined if the line was added. */
  readonly old: string | undefined;
  /** Undefined if the line was removed. */
  readonly wanted: string | undefined;
  readonly isInFrontmatter: boolean;
}

/** Pairs the lines that differ. Lines in runs of unequal length stay unpaired. */
function matchLines({ before, after }: TextChange): readonly LinePair[] {
  const old = splitLines(before);
  const frontmatterEnd = /^---\s*$/.test(old[0] ?? "")
    ? old.findIndex((line, at) => at > 0 && /^---\s*$/.test(line))
    : 0;
  return diffLines(old, splitLines(after)).flatMap(({ start, end, lines }): LinePair[] => {
    const isInFrontmatter = end <= frontmatterEnd;
    const gone = old.slice(start, end);
    if (gone.length === lines.length) {
      return gone.map((line, at) => ({ old: line, wanted: lines[at], isInFrontmatter }));
    }
    return [
      ...gone.map((line) => ({ old: line, wanted: undefined, isInFrontmatter })),
      ...lines.map((line) => ({ old: undefined, wanted: line, isInFrontmatter })),
    ];
  });
}

/** Formats edits of link targets; undefined if anything else differs. */
function formatLinkEdits(
  lines: readonly LinePair[],
  resolved: readonly Problem[],
  where: string,
): string | undefined {
  let count = 0;
  for (const { old, wanted } of lines) {
    if (old === undefined || wanted === undefined) return undefined;
    if (old.replaceAll(linkTarget, "") !== wanted.replaceAll(linkTarget, "")) return undefined;
    const [before, after] = [old.match(linkTarget) ?? [], wanted.match(linkTarget) ?? []];
    count += before.filter((target, at) => target !== after[at]).length;
  }
  const verb = resolved.some(({ code }) => /^(?:link|anchor)_/.test(code)) ? "Repair" : "Change";
  return `${verb} ${count === 1 ? "a link" : `${count} links`} ${where}`;
}

/** Formats the replacement of words; undefined if anything else differs. */
function formatReplacement(
  lines: readonly LinePair[],
  { where, isOnSeveral }: { readonly where: string; readonly isOnSeveral: boolean },
): string | undefined {
  let found: Replacement | undefined;
  for (const { old, wanted } of lines) {
    if (old === undefined || wanted === undefined) return undefined;
    for (const replacement of compareWords(old, wanted)) {
      if (found && toKey(found) !== toKey(replacement)) return undefined;
      if (!isNameable(replacement)) return undefined;
      found ??= replacement;
    }
  }
  if (!found) return undefined;
  const isName = isOnSeveral && [found.old, found.wanted].every((words) => /^\p{L}/u.test(words));
  return isName
    ? `Rename ${found.old} to ${found.wanted} ${where}`
    : `Replace ${found.old} with ${found.wanted} ${where}`;
}

interface Replacement {
  readonly old: string;
  readonly wanted: string;
}

function isNameable({ old, wanted }: Replacement): boolean {
  return [old, wanted].every((words) => words.length <= maxWords && /[\p{L}\p{N}]/u.test(words));
}

/** Returns a key that is the same for all forms of the same words. */
function toKey({ old, wanted }: Replacement): string {
  return [old, wanted].map((words) => words.toLowerCase().replace(/s$/, "")).join("\n");
}

function compareWords(old: string, wanted: string): readonly Replacement[] {
  const [before, after] = [splitWords(old), splitWords(wanted)];
  const found: Replacement[] = [];
  let end = -1;
  for (const change of diffLines(before, after)) {
    const last = found.at(-1);
    const gap = end < 0 ? undefined : before.slice(end, change.start).join("");
    const words = { old: before.slice(change.start, change.end).join("") };
    if (last && gap !== undefined && /^[ \t]+$/.test(gap)) {
      found[found.length - 1] = {
        old: last.old + gap + words.old,
        wanted: last.wanted + gap + change.lines.join(""),
      };
    } else found.push({ ...words, wanted: change.lines.join("") });
    end = change.end;
  }
  return found.map((one) => ({ old: one.old.trim(), wanted: one.wanted.trim() }));
}

function splitWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** Formats edits of one frontmatter field; undefined if anything else differs. */
function formatFieldEdits(lines: readonly LinePair[], names: string): string | undefined {
  const fields = lines.map(({ old, wanted, isInFrontmatter }) => {
    const [before, after] = [old, wanted].map((line) => /^([\w-]{1,40}):/.exec(line ?? "")?.[1]);
    const isSame = old === undefined || wanted === undefined || before === after;
    return isInFrontmatter && isSame ? (before ?? after) : undefined;
  });
  const [field] = fields;
  if (field === undefined || fields.some((one) => one !== field)) return undefined;
  const isRemoval = lines.every(({ wanted }) => wanted === undefined);
  return `${isRemoval ? "Remove" : "Set"} the ${field} of ${names}`;
}
