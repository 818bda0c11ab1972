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

/** Every changed line differs by the new words for the old ones alone, outside of code and addresses. */
export function replaces(
  from: string,
  to: string,
  { inCode = false, min = 1, within = "", records = false } = {},
): Expectation {
  return (outcome) => {
    if (outcome.refused !== undefined) return `is refused: ${outcome.text}`;
    let places = 0;
    for (const { path, before, after } of outcome.changes) {
      if (before === null || after === null) return `${path} comes or goes`;
      if (!path.startsWith(within)) return `${path} is outside of ${within}`;
      if (!records && isRecord(path)) return `${path} says what was`;
      const [old, now] = [before.split("\n"), after.split("\n")];
      if (old.length !== now.length) return `${path} has other lines`;
      let fence = false;
      for (const [index, line] of old.entries()) {
        if (/^\s*(?:```|~~~)/.test(line)) fence = !fence;
        const next = now[index] ?? "";
        if (line === next) continue;
        if (fence && !inCode) return `${path}:${index + 1} is code`;
        const count = replacedIn(line, next, { from, to, inCode });
        if (count === undefined) return `${path}:${index + 1} ${line} → ${next}`;
        places += count;
      }
    }
    return places >= min ? undefined : `changes ${places} places, not ${min}`;
  };
}

const opaque = /`[^`]*`|\]\([^)]*\)|\b(?:href|src|id|icon|path)=["'{][^"'}]*["'}]|https?:\/\/\S+/g;

function isRecord(path: string): boolean {
  return /change-?log|\/?updates\.mdx$|(?:^|\/)\d{4}-\d{2}|^v\d+\//i.test(path);
}

/** How often the line has the new words where it had the old ones; undefined where it differs otherwise. */
function replacedIn(
  line: string,
  next: string,
  { from, to, inCode }: { readonly from: string; readonly to: string; readonly inCode: boolean },
): number | undefined {
  const hidden = (text: string) => (inCode ? text : text.replaceAll(opaque, (part) => part.startsWith("](#") || part.includes("#") ? "anchor" : part)); // prettier-ignore
  const parts = hidden(next).split(to);
  const known = hidden(line).split(to).length - 1;
  const plain = (text: string) => text.replaceAll(to, from).replaceAll(/\b([Aa])n?\b/g, "$1");
  const isSame = plain(hidden(line)) === plain(hidden(next));
  const doubled = (text: string) => [...text.matchAll(/\b([\p{L}\p{N}]+)[ *_]+\1\b/giu)].length;
  if (!isSame || doubled(next) > doubled(line)) return undefined;
  return Math.max(0, parts.length - 1 - known);
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
