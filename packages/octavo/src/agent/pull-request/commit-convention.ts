import type { CommitConvention } from "../../core/index.ts";

const conventional =
  /^(?:build|chore|ci|docs?|feat|fix|perf|refactor|revert|style|test)(?:\([^()\n]{1,40}\))?!?: \S/i;
const minSubjects = 5;
const conventionalShare = 0.6;

/** The convention that the newest commits follow, by their subjects. */
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

/** A title in words as the convention has it. */
export function toConvention(title: string, convention: CommitConvention): string {
  if (followsConvention(title, convention)) return title;
  // Names and abbreviations stay as they are: "API keys", "OpenAPI".
  const isWord = /^\p{Lu}\p{Ll}*(?:\s|$)/u.test(title);
  return `docs: ${isWord ? title.charAt(0).toLowerCase() : title.charAt(0)}${title.slice(1)}`;
}
