import { redactTokens } from "../../core/index.ts";
import type { CommitConvention } from "../../core/index.ts";
import { sanitizeWords } from "../inert-text.ts";

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
  return withoutSwitches(sanitizeWords(line));
}

/** Removes switches repeatedly until none is left, because a removal can form a new one: `[skip [skip ci] ci]`. */
function withoutSwitches(title: string): string {
  const plain = sanitizeWords(title.replaceAll(checkSwitch, " "));
  return plain === title ? title : withoutSwitches(plain);
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
