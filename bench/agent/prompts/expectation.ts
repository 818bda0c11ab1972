import type { FileChange, Outcome } from "./prompt-site.ts";

/** What is right for a prompt: gives back what is wrong with what came of it. */
export type Expectation = (outcome: Outcome) => string | undefined;

export interface PromptCase {
  readonly site: string;
  readonly prompt: string;
  /** In a documented form: then it has to be done. */
  readonly isForm: boolean;
  readonly expect: Expectation;
}

/** No file may change. */
export const nothing: Expectation = ({ changes }) =>
  changes.length === 0 ? undefined : `changes ${changes.map(({ path }) => path).join(", ")}`;

/** The site does not allow it, and the refusal says why. */
export function refusal(reason: RegExp): Expectation {
  return (outcome) => {
    if (outcome.refused !== "site") return "is not refused for the site's sake";
    return nothing(outcome) ?? (reason.test(outcome.text) ? undefined : `says ${outcome.text}`);
  };
}

/** Nothing is to be done, and the summary says so. */
export function idle(said: RegExp): Expectation {
  return (outcome) =>
    nothing(outcome) ??
    (outcome.refused === undefined && said.test(outcome.text) ? undefined : `says ${outcome.text}`);
}

/**
 * Exactly these lines change: a path on a line of its own, under it the lines that go (`-`) and come (`+`). A file
 * that goes or comes as a whole is `gone: path` or `new: path` with its lines.
 */
export function exactly(expected: string): Expectation {
  return (outcome) => {
    if (outcome.refused !== undefined) return `is refused: ${outcome.text}`;
    const found = changedLines(outcome.changes);
    return found === expected.trim() ? undefined : `changes\n${found}\nnot\n${expected.trim()}`;
  };
}

export function changedLines(changes: readonly FileChange[]): string {
  return changes
    .flatMap(({ path, before, after }) => {
      if (after === null) return [`gone: ${path}`];
      if (before === null) return [`new: ${path}`, ...after.trimEnd().split("\n").map((line) => `+${line}`)]; // prettier-ignore
      return [path, ...lineChanges(before.split("\n"), after.split("\n"))];
    })
    .join("\n");
}

/** Lines that go (`-`) and come (`+`), each run of them in pairs where it is one for one. */
export function lineChanges(before: readonly string[], after: readonly string[]): string[] {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  const rest = Math.min(before.length, after.length) - start;
  while (end < rest && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  const changes: string[] = [];
  let [at, to] = [0, 0];
  for (const [line, other] of [...commonLines(old, now), [old.length, now.length] as const]) {
    const [gone, come] = [old.slice(at, line), now.slice(to, other)];
    const isPaired = gone.length === come.length;
    if (isPaired) changes.push(...gone.flatMap((text, index) => [`-${text}`, `+${come[index]}`]));
    else changes.push(...gone.map((text) => `-${text}`), ...come.map((text) => `+${text}`));
    [at, to] = [line + 1, other + 1];
  }
  return changes;
}

/** Places of a longest common subsequence. */
function commonLines(
  old: readonly string[],
  now: readonly string[],
): (readonly [number, number])[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  const lengthAt = (line: number, other: number) => lengths[line]?.[other] ?? 0;
  for (let line = old.length - 1; line >= 0; line--) {
    for (let other = now.length - 1; other >= 0; other--) {
      const longest =
        old[line] === now[other]
          ? lengthAt(line + 1, other + 1) + 1
          : Math.max(lengthAt(line + 1, other), lengthAt(line, other + 1));
      lengths[line]?.fill(longest, other, other + 1);
    }
  }
  const common: (readonly [number, number])[] = [];
  for (let [line, other] = [0, 0]; line < old.length && other < now.length;) {
    if (old[line] === now[other]) common.push([line++, other++]);
    else if (lengthAt(line + 1, other) >= lengthAt(line, other + 1)) line += 1;
    else other += 1;
  }
  return common;
}

interface Replacing {
  readonly inCode?: boolean;
  readonly min?: number;
  /** Every changed file is below this folder. */
  readonly within?: string;
  /** Pages that say what was may change. */
  readonly records?: boolean;
}

/**
 * Changed files differ by the new words for the old ones alone, with a capital at the beginning of sentences, outside
 * of code and addresses; an article goes with them, and the anchor of a heading.
 */
export function replaces(
  from: string,
  to: string,
  { inCode = false, min = 1, within = "", records = false }: Replacing = {},
): Expectation {
  return ({ refused, text, changes }) => {
    if (refused !== undefined) return `is refused: ${text}`;
    let places = 0;
    for (const { path, before, after } of changes) {
      if (before === null || after === null) return `${path} comes or goes`;
      const known = withAnchors(path, before, after);
      if (!known && !path.startsWith(within)) return `${path} is outside of ${within}`;
      if (!known && !records && isRecord(path)) return `${path} says what was`;
      const fault = faultIn(before, after, { from, to, inCode });
      if (fault !== undefined) return `${path}: ${fault}`;
      places += occurrences(after, to) - occurrences(before, to);
    }
    return places >= min ? undefined : `changes ${places} places, not ${min}`;
  };
}

const fences = /^[ \t]*(```+|~~~+)[^]*?^[ \t]*\1[ \t]*$/gm;
const opaque =
  /`[^`\n]*`|\]\([^)\n]*\)|\b(?:href|src|id|icon|path)=["'{][^"'}\n]*["'}]|https?:\/\/\S+/g;

/** Whether nothing but addresses with anchors changed: links to a heading of another page follow it. */
function withAnchors(path: string, before: string, after: string): boolean {
  const plain = (text: string) => text.replaceAll(/#[\w-]+/g, "#");
  return /\.mdx?$/.test(path) && plain(before) === plain(after);
}

function faultIn(
  before: string,
  after: string,
  { from, to, inCode }: { readonly from: string; readonly to: string; readonly inCode: boolean },
): string | undefined {
  const codeOf = (text: string) => [...(text.match(fences) ?? []), ...(text.match(/`[^`\n]+`/g) ?? [])]; // prettier-ignore
  if (!inCode && codeOf(before).join("\n") !== codeOf(after).join("\n")) return "code changes";
  const read = (text: string) => (inCode ? text : text.replaceAll(opaque, (part) => part.replace(/#[\w-]+/, "#"))); // prettier-ignore
  const plain = (text: string) =>
    backwards(read(text), { from, to })
      .replaceAll(/\b([Aa])n?\b/g, "$1")
      .replaceAll(/\s+/g, " ");
  if (plain(before) !== plain(after)) return differenceOf(plain(before), plain(after));
  const doubled = (text: string) => [...text.matchAll(/\b([\p{L}\p{N}]+)[ *_]+\1\b/giu)].length;
  if (doubled(after) > doubled(before)) return "a word stands there twice";
  const verb = new RegExp(String.raw`\b(?:must|should|shall|can|may|will|cannot|would|could|might)\s+${to}\b`, "gi"); // prettier-ignore
  const verbs = (text: string) => text.match(verb)?.length ?? 0;
  return verbs(after) > verbs(before) ? "a verb changes" : undefined;
}

function backwards(
  text: string,
  { from, to }: { readonly from: string; readonly to: string },
): string {
  const upper = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  const pattern = (word: string) => new RegExp(word.split(" ").map((part) => part.replaceAll(/[.*+?]/g, "\\$&")).join("\\s+"), "g"); // prettier-ignore
  return text.replace(pattern(to), from).replace(pattern(upper(to)), upper(from));
}

function differenceOf(before: string, after: string): string {
  let at = 0;
  while (before[at] === after[at]) at += 1;
  return `${before.slice(Math.max(0, at - 40), at + 60)} → ${after.slice(Math.max(0, at - 40), at + 60)}`;
}

function occurrences(text: string, words: string): number {
  const plain = text.toLowerCase().replaceAll(/\s+/g, " ");
  return plain.split(words.toLowerCase()).length - 1;
}

function isRecord(path: string): boolean {
  return /change-?log|\/?updates\.mdx$|(?:^|\/)\d{4}-\d{2}|^v\d+\//i.test(path);
}

/** One line of one page changes: that of the field. */
export function sets(path: string, field: string, value: string): Expectation {
  return (outcome) => {
    if (outcome.refused !== undefined) return `is refused: ${outcome.text}`;
    const [change, ...others] = outcome.changes;
    if (change === undefined || others.length > 0 || change.path !== path) {
      return `changes ${outcome.changes.map((each) => each.path).join(", ") || "nothing"}`;
    }
    const lines = lineChanges((change.before ?? "").split("\n"), (change.after ?? "").split("\n"));
    const isOwn = lines.every((line) => line.slice(1).startsWith(`${field}:`));
    const added = lines
      .find((line) => line.startsWith("+"))
      ?.slice(field.length + 2)
      .trim();
    const isValue = added === value || added === JSON.stringify(value) || added === `'${value}'`;
    return isOwn && isValue ? undefined : `changes ${lines.join(" ")}`;
  };
}

/** The page is at another path with the same words, and a redirect leads there. */
export function moves(from: string, to: string): Expectation {
  return ({ refused, text, changes }) => {
    if (refused !== undefined) return `is refused: ${text}`;
    const old = changes.find(({ path }) => path === from);
    const now = changes.find(({ path }) => path === to);
    if (old?.after !== null || typeof now?.after !== "string") return "does not move the page";
    const words = (page: string | null) => page?.replaceAll(/\([^)]*\)|"[^"]*"/g, "") ?? "";
    if (words(old.before) !== words(now.after)) return "changes its words";
    const address = from.replace(/\.mdx?$/, "");
    const config = changes.find(({ after }) => after?.includes(`"/${address}"`) === true);
    return config === undefined ? "adds no redirect" : undefined;
  };
}

/** These files come, go or change, and no others but those that mention them. */
export function touches(...paths: readonly string[]): Expectation {
  return ({ refused, text, changes }) => {
    if (refused !== undefined) return `is refused: ${text}`;
    const missing = paths.find((path) => !changes.some((change) => change.path === path));
    return missing === undefined ? undefined : `does not change ${missing}`;
  };
}

/** Lines are only added, and each is a description that is a sentence of its page. */
export const addsDescriptions: Expectation = ({ refused, text, changes }) => {
  if (refused !== undefined) return `is refused: ${text}`;
  for (const { path, before, after } of changes) {
    const lines = lineChanges((before ?? "").split("\n"), (after ?? "").split("\n"));
    const [line = ""] = lines;
    if (lines.length !== 1 || !line.startsWith("+description: "))
      return `${path}: ${lines.join(" ")}`;
    const value = line.slice("+description: ".length).replaceAll(/^["']|["']$/g, "");
    if (!/\.["”)]?$/.test(value) || value.length > 160) return `${path}: ${value}`;
  }
  return undefined;
};
