import { getBaseName, type Problem } from "@octavo/site/core";
import { redactTokens, type CommitConvention } from "../../core/index.ts";
import { readChangedTexts } from "../changes/read-changes.ts";
import { diffLines, splitLines } from "../changes/text-changes.ts";
import type { ChangedFile, TextChange } from "../changes/text-changes.ts";
import type { SitePages } from "../site-view.ts";
import type { Workspace } from "../workspace.ts";
import { sanitizeWords } from "./sanitize-markdown.ts";

export const maxTitleLength = 72;

/** Directives in a title that make a repository skip its checks, such as `[skip ci]`. */
const skipDirective =
  /\[\s*(?:skip[ -]?ci|ci[ -]?skip|no[ -]?ci|skip[ -]?actions|actions[ -]?skip)\s*\]|\*{3}NO_CI\*{3}/gi;

const conventionalTitle =
  /^(?:build|chore|ci|docs?|feat|fix|perf|refactor|revert|style|test)(?:\([^()\n]{1,40}\))?!?: \S/i;
const minSubjects = 5;
const minConventionalShare = 0.6;

/**
 * Formats the first line of a text as a title that does not mention anyone and does not skip checks. May return an
 * empty string.
 */
export function sanitizeTitle(text: string): string {
  const line = redactTokens(text).trim().split("\n", 1)[0] ?? "";
  return removeSkipDirectives(sanitizeWords(line));
}

/** Removes skip directives until none is left, because a removal can form a new directive: `[skip [skip ci] ci]`. */
function removeSkipDirectives(title: string): string {
  const cleaned = sanitizeWords(title.replaceAll(skipDirective, " "));
  return cleaned === title ? title : removeSkipDirectives(cleaned);
}

/** Formats a text as the title of a pull request or commit in the convention of its repository. */
export function formatTitle(text: string, convention: CommitConvention): string {
  const sanitizedText = sanitizeTitle(text);
  const title = toConvention(
    sanitizedText === "" ? "Edit the documentation" : sanitizedText,
    convention,
  );
  if (title.length <= maxTitleLength) return title;
  const truncated = title.slice(0, maxTitleLength - 1);
  const end = truncated.lastIndexOf(" ");
  return `${(end > maxTitleLength / 2 ? truncated.slice(0, end) : truncated).toWellFormed()}…`;
}

/** Detects the convention of the newest commits from their subjects. */
export function detectConvention(subjects: readonly string[]): CommitConvention {
  const ownSubjects = subjects.filter((subject) => !/^(?:Merge|Revert) /.test(subject));
  const conventionalSubjects = ownSubjects.filter((subject) => conventionalTitle.test(subject));
  const isFollowed =
    ownSubjects.length >= minSubjects &&
    conventionalSubjects.length >= ownSubjects.length * minConventionalShare;
  return isFollowed ? "conventional" : "plain";
}

export function followsConvention(title: string, convention: CommitConvention): boolean {
  return convention === "plain" || conventionalTitle.test(title);
}

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

const maxNameLength = 45;
const maxWordsLength = 40;
const linkTarget =
  /(?<=\]\()[^()\s]*(?:\([^()\s]*\)[^()\s]*)*|(?<=\bhref=["'])[^"']*|(?<=^\[[^\]]{1,200}\]: )\S+/g;

/**
 * Formats a title for a change whose author gave no title, derived from its files: what was moved, added or removed,
 * which words, links or fields differ, or which pages. Returns an empty string if nothing changed.
 */
export function formatChangeTitle(change: TitledChange): string {
  const { changes, pages } = change;
  const isPage = ({ path }: ChangedFile) => pages.byFile.has(path) || /\.mdx?$/.test(path);
  const listedChanges = changes.some(isPage) ? changes.filter(isPage) : changes;
  const noun = changes.some(isPage) ? "pages" : "files";
  const filterByKind = (kind: ChangedFile["kind"]) =>
    listedChanges.filter((file) => file.kind === kind);
  const formatNames = (files: readonly ChangedFile[]) =>
    listNames(files.map(createNameLookup(pages)), noun);
  const [addedFiles, movedFiles] = [filterByKind("added"), filterByKind("moved")];
  const [deletedFiles, modifiedFiles] = [filterByKind("deleted"), filterByKind("modified")];
  const parts = [
    movedFiles.length > 0 && formatMoves(movedFiles, pages, noun),
    addedFiles.length > 0 && `Add ${formatNames(addedFiles)}`,
    deletedFiles.length > 0 && `Remove ${formatNames(deletedFiles)}`,
  ].filter((part) => part !== false);
  if (modifiedFiles.length === 0) return joinParts(parts);
  if (parts.length === 0) return formatEdits(change, modifiedFiles, formatNames(modifiedFiles));
  // Moving or removing a page also changes links in other pages.
  const hasUpkeep = movedFiles.length + deletedFiles.length > 0;
  return joinParts(hasUpkeep ? parts : [...parts, `edit ${formatNames(modifiedFiles)}`]);
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
    return name.length <= maxNameLength ? name : getBaseName(name);
  };
}

function listNames(names: readonly string[], noun: string): string {
  const [first = "", second = ""] = names;
  if (names.length === 1) return first;
  if (names.length === 2) return `${first} and ${second}`;
  return `${first} and ${names.length - 1} other ${noun}`;
}

function formatMoves(movedFiles: readonly ChangedFile[], pages: SitePages, noun: string): string {
  const [first] = movedFiles;
  if (first && movedFiles.length === 1) {
    const name = createNameLookup(pages);
    return `Move ${name({ path: first.from ?? "" })} to ${name(first)}`;
  }
  const folders = new Set(movedFiles.map(({ path }) => path.slice(0, path.lastIndexOf("/") + 1)));
  const [folder = ""] = folders;
  const target = folders.size === 1 && folder !== "" ? ` to ${folder}` : "";
  return `Move ${movedFiles.length} ${noun}${target}`;
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
  const isComplete = pairs.length === modified.length;
  const lines = pairs.flat();
  if (!isComplete || lines.length === 0) return `Edit ${names}`;
  const where = modified.length === 1 ? `in ${names}` : `on ${modified.length} pages`;
  return (
    formatLinkEdits(lines, resolved, where) ??
    formatFieldEdits(lines, modified.length === 1 ? names : `${modified.length} pages`) ??
    formatReplacement(lines, { where, isOnSeveralPages: modified.length > 1 }) ??
    `Edit ${names}`
  );
}

interface LinePair {
  /** The old text; undefined if the line was added. */
  readonly old: string | undefined;
  /** The new text; undefined if the line was removed. */
  readonly updated: string | undefined;
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
    const removed = old.slice(start, end);
    if (removed.length === lines.length) {
      return removed.map((line, at) => ({ old: line, updated: lines[at], isInFrontmatter }));
    }
    return [
      ...removed.map((line) => ({ old: line, updated: undefined, isInFrontmatter })),
      ...lines.map((line) => ({ old: undefined, updated: line, isInFrontmatter })),
    ];
  });
}

/** Formats edits of link targets. Returns undefined if anything else differs. */
function formatLinkEdits(
  lines: readonly LinePair[],
  resolved: readonly Problem[],
  where: string,
): string | undefined {
  let count = 0;
  for (const { old, updated } of lines) {
    if (old === undefined || updated === undefined) return undefined;
    if (old.replaceAll(linkTarget, "") !== updated.replaceAll(linkTarget, "")) return undefined;
    const [before, after] = [old.match(linkTarget) ?? [], updated.match(linkTarget) ?? []];
    count += before.filter((target, at) => target !== after[at]).length;
  }
  const verb = resolved.some(({ code }) => /^(?:link|anchor)_/.test(code)) ? "Repair" : "Change";
  return `${verb} ${count === 1 ? "a link" : `${count} links`} ${where}`;
}

/** Formats the replacement of words. Returns undefined if anything else differs. */
function formatReplacement(
  lines: readonly LinePair[],
  { where, isOnSeveralPages }: { readonly where: string; readonly isOnSeveralPages: boolean },
): string | undefined {
  let found: Replacement | undefined;
  for (const { old, updated } of lines) {
    if (old === undefined || updated === undefined) return undefined;
    for (const replacement of compareWords(old, updated)) {
      if (found && getReplacementKey(found) !== getReplacementKey(replacement)) return undefined;
      if (!isNameable(replacement)) return undefined;
      found ??= replacement;
    }
  }
  if (!found) return undefined;
  const isName =
    isOnSeveralPages && [found.old, found.updated].every((words) => /^\p{L}/u.test(words));
  return isName
    ? `Rename ${found.old} to ${found.updated} ${where}`
    : `Replace ${found.old} with ${found.updated} ${where}`;
}

interface Replacement {
  readonly old: string;
  readonly updated: string;
}

function isNameable({ old, updated }: Replacement): boolean {
  return [old, updated].every(
    (words) => words.length <= maxWordsLength && /[\p{L}\p{N}]/u.test(words),
  );
}

/** Returns a key that ignores letter case and a final `s`, so that a plural equals its singular. */
function getReplacementKey({ old, updated }: Replacement): string {
  return [old, updated].map((words) => words.toLowerCase().replace(/s$/, "")).join("\n");
}

function compareWords(old: string, updated: string): readonly Replacement[] {
  const [before, after] = [splitWords(old), splitWords(updated)];
  const found: Replacement[] = [];
  let end = -1;
  for (const change of diffLines(before, after)) {
    const last = found.at(-1);
    const gap = end < 0 ? undefined : before.slice(end, change.start).join("");
    const words = { old: before.slice(change.start, change.end).join("") };
    if (last && gap !== undefined && /^[ \t]+$/.test(gap)) {
      found[found.length - 1] = {
        old: last.old + gap + words.old,
        updated: last.updated + gap + change.lines.join(""),
      };
    } else found.push({ ...words, updated: change.lines.join("") });
    end = change.end;
  }
  return found.map((one) => ({ old: one.old.trim(), updated: one.updated.trim() }));
}

function splitWords(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** Formats edits of one frontmatter field. Returns undefined if anything else differs. */
function formatFieldEdits(lines: readonly LinePair[], names: string): string | undefined {
  const fields = lines.map(({ old, updated, isInFrontmatter }) => {
    const [before, after] = [old, updated].map((line) => /^([\w-]{1,40}):/.exec(line ?? "")?.[1]);
    const isSame = old === undefined || updated === undefined || before === after;
    return isInFrontmatter && isSame ? (before ?? after) : undefined;
  });
  const [field] = fields;
  if (field === undefined || fields.some((one) => one !== field)) return undefined;
  const isRemoval = lines.every(({ updated }) => updated === undefined);
  return `${isRemoval ? "Remove" : "Set"} the ${field} of ${names}`;
}
